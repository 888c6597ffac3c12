// SPDX-License-Identifier: BSD-3-Clause
/* What TCP itself takes between two processes: the limit of any network library on it.
 *
 *     net_tcp serve ADDRESS     prints the port it listens at, serves one client
 *     net_tcp ADDRESS PORT [seconds of a turn] [folder of pipes]
 *
 * `spin`: both ends look at a non-blocking socket; `poll`: they sleep in poll() first; `block`: in
 * recv(). An exchange is a ping-pong whose ends both send first, as those of a barrier do. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lines.h"

enum Way { kSpin, kPoll, kBlock, kExchange, kStream, kOver };
struct Order {
  int way, count;
};

static int fd;
static enum Way way;
static char* bytes;

static void fail(const char* what) {
  fprintf(stderr, "net_tcp: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void send_all(const void* from, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t sent = send(fd, (const char*)from + done, size - done, MSG_NOSIGNAL);
    if (sent > 0) done += (size_t)sent;
    if (sent < 0 && errno != EAGAIN) fail("send");
  }
}

static void receive_all(void* to, size_t size) {
  for (size_t done = 0; done < size;) {
    struct pollfd ready = {fd, POLLIN, 0};
    if (way == kPoll) poll(&ready, 1, -1);
    const int flags = way == kBlock || way == kOver ? 0 : MSG_DONTWAIT;
    const ssize_t got = recv(fd, (char*)to + done, size - done, flags);
    if (got > 0) done += (size_t)got;
    if (got == 0 || (got < 0 && errno != EAGAIN)) fail("receive");
  }
}

static void order(enum Way next, int count) {
  const struct Order given = {next, count};
  way = kOver;
  send_all(&given, sizeof given);
  way = next;
}
static void ping_pong(void) {
  send_all(bytes, 8);
  receive_all(bytes, 8);
}

static void serve(void) {
  for (;;) {
    struct Order given;
    way = kOver;
    receive_all(&given, sizeof given);
    way = (enum Way)given.way;
    if (way == kOver) return;
    for (int i = 0; i < given.count; ++i) {
      if (way == kExchange) send_all(bytes, 8);
      receive_all(bytes, way == kStream ? kLarge : 8);
      if (way != kStream && way != kExchange) send_all(bytes, 8);
    }
    if (way == kStream) send_all(bytes, 8);
  }
}

static struct line lines[] = {{"ping_pong_spin", 8, NULL, 2, 1, 0},
                              {"ping_pong_poll", 8, NULL, 2, 1, 0},
                              {"ping_pong_block", 8, NULL, 2, 1, 0},
                              {"exchange_spin", 8, NULL, 1, 1, 0},
                              {"stream", kLarge, NULL, 1, 1, 0}}; /* as enum Way */
static double seconds = 0.01;

static double time_order(int by, long count) {
  const double begin = now_ns();
  order((enum Way)by, (int)count);
  for (long i = 0; i < count && by != kStream; ++i) ping_pong();
  for (long i = 0; i < count && by == kStream; ++i) send_all(bytes, kLarge);
  if (by == kStream) receive_all(bytes, 8);
  return (now_ns() - begin) / (double)count;
}

static double turn(struct line* line) {
  const int by = (int)(line - lines);
  if (line->calls == 0) line->calls = 8;
  time_order(by, calls_to_warm(line->calls));
  const double ns = time_order(by, line->calls);
  line->calls = calls_for(seconds, ns);
  return ns / line->per;
}

int main(int argc, char** argv) {
  const int is_server = argc == 3 && strcmp(argv[1], "serve") == 0;
  if (argc < 3) {
    fprintf(stderr, "usage: net_tcp serve ADDRESS | net_tcp ADDRESS PORT [seconds]\n");
    return 2;
  }
  struct sockaddr_in at = {.sin_family = AF_INET};
  if (inet_pton(AF_INET, argv[is_server ? 2 : 1], &at.sin_addr) != 1) fail("address");
  bytes = calloc(1, kLarge);
  fd = socket(AF_INET, SOCK_STREAM, 0);
  if (is_server) {
    socklen_t size = sizeof at;
    if (bind(fd, (struct sockaddr*)&at, size) != 0 || listen(fd, 1) != 0) fail("listen");
    getsockname(fd, (struct sockaddr*)&at, &size);
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    fd = accept(fd, NULL, NULL);
  } else {
    at.sin_port = htons((uint16_t)atoi(argv[2]));
    if (connect(fd, (struct sockaddr*)&at, sizeof at) != 0) fail("connect");
  }
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (is_server) {
    serve();
    return 0;
  }
  if (argc > 3) seconds = atof(argv[3]);
  take_turns(lines, sizeof lines / sizeof *lines, 0, argc > 4 ? argv[4] : NULL, turn);
  order(kOver, 0);
  return 0;
}
