// SPDX-License-Identifier: BSD-3-Clause
/* Two-sided messages: matching, order, sizes across all protocols, truncation, probe, cancel. */
#include "common.h"

static uint64_t token;

/* Everybody sends every size to everybody (itself included), from and to private and symmetric
 * memory. */
static unsigned char symmetric_out[300000], symmetric_in[300000];

static void exchange(unsigned char* out, unsigned char* in) {
  static const size_t sizes[] = {0,    1,    7,    8,    47,   48,    49,    56,
                                 4096, 8191, 8192, 8193, 9000, 65536, 300000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int shift = 0; shift < n; ++shift) {
      const int to = (me + shift) % n, from = (me + n - shift) % n;
      const size_t bytes = sizes[s];
      fill(out, bytes, me, (int)s);
      memset(in, 0, bytes + (bytes < 300000));
      uccs_request_t requests[2];
      uccs_message_info_t info = {-7, 0, 0};
      uccs_status_t status;
      const int is_late =
          (shift + (int)s) % 2; /* the message comes before, or after, the receive */
      if (is_late) {
        POST_REQUEST(status, uccs_send_contiguous_nb(peers[to], s, out, bytes, &requests[0]));
        barrier();
      }
      POST_REQUEST(status, uccs_recv_nb(context, 0, from, s, UCCS_TAG_EXACT, in, bytes, &info,
                                        &requests[1]));
      if (!is_late) {
        barrier();
        POST_REQUEST(status, uccs_send_contiguous_nb(peers[to], s, out, bytes, &requests[0]));
      }
      CHECK_OK(uccs_wait_all(requests, 2));
      CHECK(holds(in, bytes, from, (int)s));
      if (bytes < 300000) CHECK(in[bytes] == 0);
      CHECK(info.source == from && info.tag == s && info.bytes == bytes);
      barrier();
    }
}

static void test_sizes(void) {
  start();
  barrier();
  unsigned char *out = malloc(300000), *in = malloc(300000);
  exchange(out, in);
  exchange(symmetric_out, symmetric_in);
  exchange(symmetric_out, in);
  free(out);
  free(in);
  stop();
}

/* Pieces are one message, received in one buffer. */
static void test_gather(void) {
  static const size_t totals[] = {0, 30, 48, 100, 8192, 8193, 200000};
  enum { kPieces = 50 };
  start();
  barrier();
  unsigned char *out = malloc(200000), *in = malloc(200000);
  for (size_t t = 0; t < sizeof totals / sizeof *totals; ++t)
    for (int count = 1; count <= kPieces; count += 7) {
      const int to = (me + 1) % n, from = (me + n - 1) % n;
      fill(out, totals[t], me, count);
      uccs_piece_t pieces[kPieces];
      size_t at = 0;
      for (int i = 0; i < count; ++i) {
        const size_t bytes =
            i + 1 == count ? totals[t] - at : (totals[t] / (size_t)count) * (size_t)(i % 2);
        pieces[i] = (uccs_piece_t){bytes ? out + at : NULL, bytes};
        at += bytes;
      }
      uccs_request_t requests[2];
      uccs_status_t status;
      POST_REQUEST(status, uccs_recv_nb(context, 0, from, 5, UCCS_TAG_EXACT, in, 200000, NULL,
                                        &requests[0]));
      POST_REQUEST(status, uccs_send_nb(peers[to], 5, pieces, (size_t)count, &requests[1]));
      CHECK_OK(uccs_wait_all(requests, 2));
      CHECK(holds(in, totals[t], from, count));
    }
  barrier();
  free(out);
  free(in);
  stop();
}

static void send_number(int to, uint64_t tag, uint64_t value) {
  uccs_status_t status;
  POST_REQUEST(status, uccs_send_contiguous_short_nb(peers[to], tag, &value, sizeof value, NULL));
}
static uint64_t receive_number(int source, uint64_t tag, uint64_t mask, uccs_message_info_t* info) {
  uint64_t value = ~UINT64_C(0);
  DO(uccs_recv_nb(context, UCCS_LANE_ANY, source, tag, mask, &value, sizeof value, info, &request));
  return value;
}

/* What a receive takes of a set of waiting messages, for every kind of wildcard. */
static void test_matching(void) {
  start();
  barrier();
  /* Each EC sends to EC 0: tags 0x11, 0x12, 0x21, 0x22, with their number as value. */
  static const uint64_t tags[] = {0x11, 0x12, 0x21, 0x22};
  for (int i = 0; i < 4; ++i) send_number(0, tags[i], (uint64_t)(me * 10 + i));
  barrier();
  if (me == 0) {
    uccs_message_info_t info;
    CHECK_STATUS(uccs_probe(context, 0, 0, 0x33, UCCS_TAG_EXACT, &info), UCCS_AGAIN);
    for (int ec = n - 1; ec >= 0; --ec) { /* by source, in the other order than they came */
      /* From other nodes they come when they come. */
      while (uccs_probe(context, 0, ec, 0x20, 0xf0, &info) != UCCS_OK) uccs_progress(context);
      CHECK(info.source == ec && info.tag == 0x21 && info.bytes == 8);
      CHECK(receive_number(ec, 0x20, 0xf0, &info) == (uint64_t)(ec * 10 + 2) && info.tag == 0x21);
      CHECK(receive_number(ec, 0x02, 0x0f, &info) == (uint64_t)(ec * 10 + 1) && info.tag == 0x12);
    }
    uint64_t seen = 0;
    for (int i = 0; i < n; ++i) { /* by tag, from anybody */
      const uint64_t value = receive_number(UCCS_EC_ANY, 0x22, UCCS_TAG_EXACT, &info);
      CHECK(info.tag == 0x22 && value == (uint64_t)(info.source * 10 + 3));
      seen |= UINT64_C(1) << info.source;
    }
    CHECK(seen == (UINT64_C(1) << n) - 1);
    for (int i = 0; i < n; ++i) { /* whatever is left */
      const uint64_t value = receive_number(UCCS_EC_ANY, 0, UCCS_TAG_ANY, &info);
      CHECK(info.tag == 0x11 && value == (uint64_t)(info.source * 10));
    }
    CHECK_STATUS(uccs_probe(context, 0, UCCS_EC_ANY, 0, UCCS_TAG_ANY, NULL), UCCS_AGAIN);
  }
  barrier();
  /* Posted receives are tried in their order: the wildcard that was posted first takes the message.
   */
  uint64_t any = 0, exact = 0;
  uccs_request_t first, second;
  const int from = (me + n - 1) % n;
  CHECK_STATUS(uccs_recv_nb(context, 0, UCCS_EC_ANY, 0, UCCS_TAG_ANY, &any, 8, NULL, &first),
               UCCS_IN_PROGRESS);
  CHECK_STATUS(uccs_recv_nb(context, 0, from, 9, UCCS_TAG_EXACT, &exact, 8, NULL, &second),
               UCCS_IN_PROGRESS);
  barrier();
  send_number((me + 1) % n, 9, 1);
  CHECK_OK(uccs_wait(&first));
  CHECK(any == 1 && exact == 0);
  barrier();
  send_number((me + 1) % n, 9, 2);
  CHECK_OK(uccs_wait(&second));
  CHECK(exact == 2);
  barrier();
  stop();
}

/* One sender, one tag: received in the order of sending, whatever protocol each message takes. */
static void test_order(void) {
  static const size_t sizes[] = {8, 20000, 100, 8, 48, 8192, 8193, 49};
  enum { kMessages = 400, kRoom = 20000 };
  start();
  barrier();
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  uccs_request_t* sends = calloc(kMessages, sizeof *sends);
  unsigned char *out = malloc((size_t)kMessages * kRoom), *in = malloc(kRoom);
  int received = 0;
  for (int sent = 0; received < kMessages;) {
    if (sent < kMessages) {
      const size_t bytes = sizes[sent % 8];
      unsigned char* source = out + (size_t)sent * kRoom;
      fill(source, bytes, me, sent);
      const uccs_status_t status =
          uccs_send_contiguous_nb(peers[to], 3, source, bytes, &sends[sent]);
      if (status == UCCS_OK || status == UCCS_IN_PROGRESS) ++sent;
      if (sent < kMessages && sent < received + 60) continue;
    }
    uccs_message_info_t info;
    DO(uccs_recv_nb(context, 0, from, 3, UCCS_TAG_EXACT, in, kRoom, &info, &request));
    CHECK(info.bytes == sizes[received % 8]);
    CHECK(holds(in, info.bytes, from, received));
    ++received;
  }
  CHECK_OK(uccs_wait_all(sends, kMessages));
  barrier();
  free(sends);
  free(out);
  free(in);
  stop();
}

static void test_truncation(void) {
  static const size_t sizes[] = {9, 48, 100, 8192, 50000};
  start();
  barrier();
  unsigned char *out = malloc(50000), in[40];
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  for (int is_late = 0; is_late < 2; ++is_late)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
      for (size_t room = 0; room <= 8; room += 8) {
        uccs_request_t send = UCCS_REQUEST_NULL, receive = UCCS_REQUEST_NULL;
        uccs_message_info_t info;
        uccs_status_t status, result;
        fill(out, sizes[s], me, 1);
        memset(in, 0xcc, sizeof in);
        if (is_late) {
          POST_REQUEST(status, uccs_send_contiguous_nb(peers[to], 1, out, sizes[s], &send));
          barrier();
          while (uccs_probe(context, 0, from, 1, UCCS_TAG_EXACT, &info) != UCCS_OK)
            ;
          CHECK(info.bytes == sizes[s]);
        }
        while ((result = uccs_recv_nb(context, 0, from, 1, UCCS_TAG_EXACT, room ? in : NULL, room,
                                      &info, &receive)) == UCCS_AGAIN)
          uccs_progress(context);
        if (!is_late) {
          CHECK(result == UCCS_IN_PROGRESS);
          barrier();
          POST_REQUEST(status, uccs_send_contiguous_nb(peers[to], 1, out, sizes[s], &send));
        }
        if (result == UCCS_IN_PROGRESS) result = uccs_wait(&receive);
        CHECK_STATUS(result, UCCS_ERR_TRUNCATED);
        CHECK(receive == UCCS_REQUEST_NULL);
        CHECK(info.bytes == sizes[s] && holds(in, room, from, 1) && in[room] == 0xcc);
        CHECK_OK(uccs_wait(&send)); /* the sender does not mind */
        barrier();
      }
  free(out);
  stop();
}

static void test_cancel(void) {
  start();
  uint64_t value = 1;
  uccs_request_t request;
  CHECK_STATUS(uccs_recv_nb(context, 0, 0, 42, UCCS_TAG_EXACT, &value, 8, NULL, &request),
               UCCS_IN_PROGRESS);
  CHECK_OK(uccs_recv_cancel(&request));
  CHECK(request == UCCS_REQUEST_NULL);
  CHECK_STATUS(uccs_recv_cancel(&request), UCCS_ERR_STATE);
  barrier();
  send_number(me, 42, 7); /* goes to the next one */
  CHECK(receive_number(me, 42, UCCS_TAG_EXACT, NULL) == 7 && value == 1);
  CHECK_STATUS(uccs_recv_nb(context, 0, me, 42, UCCS_TAG_EXACT, &value, 8, NULL, &request),
               UCCS_IN_PROGRESS);
  send_number(me, 42, 8);
  while (value != 8) uccs_progress(context);
  CHECK_STATUS(uccs_recv_cancel(&request), UCCS_ERR_STATE);
  CHECK_OK(uccs_wait(&request));
  barrier();
  stop();
}

/* More messages than an inbox keeps: the senders are told to wait, everything arrives. */
static void test_unexpected_flood(void) {
  enum { kEach = 12000 };
  start();
  barrier();
  const int senders = n > 1 ? n - 1 : 1;
  if (n == 1 || me != 0) {
    int again = 0;
    for (uint64_t i = 0; i < kEach; ++i) {
      const int first = n > 1 ? me - 1 : 0;
      uint64_t message[2] = {(uint64_t)first, i};
      uccs_status_t status;
      for (;;) {
        status = uccs_send_contiguous_short_nb(peers[0], 6, message, sizeof message, NULL);
        if (status != UCCS_AGAIN) break;
        ++again;
        if (n > 1) {
          uccs_progress(context);
        } else {
          break; /* to itself: stop when it is full */
        }
      }
      if (status == UCCS_AGAIN) break;
      CHECK(status == UCCS_OK);
      token = i + 1;
      if (n == 1) uccs_progress(context);
    }
    CHECK(again > 0);
  }
  if (me == 0) {
    uint64_t next[64] = {0}, total = n > 1 ? (uint64_t)kEach * (uint64_t)senders : token;
    if (n > 1) /* let them run into the limit */
      for (int i = 0; i < rounds(200000); ++i) uccs_progress(context);
    for (uint64_t i = 0; i < total; ++i) {
      uint64_t message[2];
      DO(uccs_recv_nb(context, 0, UCCS_EC_ANY, 6, UCCS_TAG_EXACT, message, sizeof message, NULL,
                      &request));
      CHECK(message[1] == next[message[0]]++);
    }
  }
  barrier();
  stop();
}

/* A context ends with more messages than an inbox keeps, which nobody has received. */
static void test_unreceived(void) {
  start();
  barrier();
  const uint64_t message[2] = {0};
  int again = 0; /* in a row; who ends its context makes room */
  for (int sent = 0; sent < 10000 && again < 100; sent += again == 0) {
    const uccs_status_t status =
        uccs_send_contiguous_short_nb(peers[(me + 1) % n], 6, message, sizeof message, NULL);
    CHECK(status == UCCS_OK || status == UCCS_AGAIN);
    again = status == UCCS_OK ? 0 : again + 1;
    uccs_progress(context);
  }
  stop();
}

/* All offer long messages to all and receive them in the opposite order. */
static void test_crossing(void) {
  enum { kEach = 20, kBytes = 12000 };
  start();
  barrier();
  uccs_request_t* requests = calloc((size_t)(2 * kEach * n), sizeof *requests);
  unsigned char *out = malloc(kBytes), *in = malloc((size_t)kEach * (size_t)n * kBytes);
  fill(out, kBytes, me, 0);
  int count = 0;
  uccs_status_t status;
  for (int i = 0; i < kEach; ++i)
    for (int ec = 0; ec < n; ++ec) {
      POST_REQUEST(status,
                   uccs_send_contiguous_nb(peers[ec], (uint64_t)i, out, kBytes, &requests[count]));
      ++count;
    }
  for (int i = kEach - 1; i >= 0; --i)
    for (int ec = n - 1; ec >= 0; --ec) {
      unsigned char* at = in + (size_t)(i * n + ec) * kBytes;
      POST_REQUEST(status, uccs_recv_nb(context, 0, ec, (uint64_t)i, UCCS_TAG_EXACT, at, kBytes,
                                        NULL, &requests[count]));
      ++count;
    }
  CHECK_OK(uccs_wait_all(requests, (size_t)count));
  for (int i = 0; i < kEach; ++i)
    for (int ec = 0; ec < n; ++ec) CHECK(holds(in + (size_t)(i * n + ec) * kBytes, kBytes, ec, 0));
  barrier();
  free(requests);
  free(out);
  free(in);
  stop();
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {{"sizes", test_sizes},
                                      {"gather", test_gather},
                                      {"matching", test_matching},
                                      {"order", test_order},
                                      {"truncation", test_truncation},
                                      {"cancel", test_cancel},
                                      {"unexpected_flood", test_unexpected_flood},
                                      {"unreceived", test_unreceived},
                                      {"crossing", test_crossing},
                                      {NULL, NULL}};
  return run_case(argc, argv, cases);
}
