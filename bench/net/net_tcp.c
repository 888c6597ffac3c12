// SPDX-License-Identifier: BSD-3-Clause
/* What TCP itself takes between two processes: the limit of any network library on it.
 *
 *     net_tcp serve ADDRESS            prints the port it listens at, serves one client
 *     net_tcp ADDRESS PORT [seconds]   ping-pongs of 8 bytes and streams of 1 MiB
 *
 * `spin`: both ends look at a non-blocking socket; `poll`: they sleep in poll() first; `block`: in
 * recv(). An exchange is a ping-pong whose ends both send first, as those of a barrier do. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
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
    const int flags = way == kBlock || way == kStream || way == kOver ? 0 : MSG_DONTWAIT;
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

static void measure(const char* name, enum Way by, double seconds) {
  double times[kRounds];
  order(by, 50);
  const int count = (int)calls_for(seconds, time_calls(ping_pong, 50));
  for (int i = 0; i < kRounds; ++i) {
    order(by, count);
    times[i] = time_calls(ping_pong, count);
  }
  print_line(name, 8, times, by == kExchange ? 1 : 2);
}

static void stream(double seconds) {
  double times[kRounds];
  int count = 8;
  for (int i = -1; i < kRounds; ++i) {
    const double begin = now_ns();
    order(kStream, count);
    for (int k = 0; k < count; ++k) send_all(bytes, kLarge);
    receive_all(bytes, 8);
    const double each = (now_ns() - begin) / count;
    if (i >= 0) times[i] = each;
    if (i < 0) count = (int)calls_for(seconds, each);
  }
  print_line("stream", kLarge, times, 1);
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
  const double seconds = argc > 3 ? atof(argv[3]) : 0.1;
  measure("ping_pong_spin", kSpin, seconds);
  measure("ping_pong_poll", kPoll, seconds);
  measure("ping_pong_block", kBlock, seconds);
  measure("exchange_spin", kExchange, seconds);
  stream(seconds);
  order(kOver, 0);
  return 0;
}
