/* Asks at a steady rate, whatever the answers take: `rate [-c] [-o ORIGIN] [-f FIELD] [-p PATIENCE] PORT
   CONNECTIONS SECONDS RATE SIZE URLS [FILE]`, and compares the content of each answer with that of the
   file, where there is one. With -o http://HOST:PORT it asks a forward port; FIELD is one more field
   line. It ends PATIENCE seconds after the schedule at the latest (default: 10).
   A request is due at its place in the schedule; one that finds no connection free waits, and its
   latency counts from when it was due, so that a server that stands still pays for everybody who
   would have asked meanwhile. With -c the loop is closed: a connection asks again when it is answered,
   for so many seconds, whatever the rate. Prints requests, nanoseconds, errors, latencies in microseconds (p50,
   p99, p99.9 and the longest), and answers whose Cache-Status says that they are hits. Answers have a
   Content-Length. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BUFFER 65536
#define BUCKETS (64 * 64)

struct connection {
  int fd;
  int64_t due; /* of what was asked; 0: nothing */
  int in_head;
  size_t have; /* of the head */
  size_t left; /* of the content */
  char head[4096];
};

static uint64_t buckets[BUCKETS];
static uint64_t done, errors, hits;
static int64_t longest;
static struct connection *idle[65536];
static int idles;
static char expected[BUFFER];
static size_t expected_length; /* 0: anything */
static const char *origin = ""; /* before the path of the target */
static const char *field = "";
static double patience_seconds = 10;
static int closed;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* 64 steps for each doubling: within 1.6 percent */
static size_t bucket(uint64_t nanos) {
  if (nanos < 64) {
    return nanos;
  }
  unsigned shift = 63 - (unsigned)__builtin_clzll(nanos) - 6;
  return (size_t)(shift + 1) * 64 + ((nanos >> shift) & 63);
}

static uint64_t floor_of(size_t place) {
  return place < 64 ? place : (64 + place % 64) << (place / 64 - 1);
}

static uint64_t quantile(double share) {
  uint64_t wanted = (uint64_t)((double)done * share), seen = 0;
  for (size_t i = 0; i < BUCKETS; i++) {
    seen += buckets[i];
    if (seen > wanted) {
      return floor_of(i) / 1000;
    }
  }
  return (uint64_t)longest / 1000;
}

static void answered(struct connection *one) {
  int64_t took = now() - one->due;
  buckets[bucket((uint64_t)took)]++;
  longest = took > longest ? took : longest;
  done++;
  one->due = 0;
  idle[idles++] = one;
}

/* Takes octets of the content; whether they are as expected. */
static int take(struct connection *one, const char *octets, size_t count) {
  if (count > one->left) {
    return 0;
  }
  size_t at = expected_length - one->left;
  one->left -= count;
  return !expected_length || !memcmp(expected + at, octets, count);
}

/* Whether the head is whole and a success, and the content that came with it as expected. */
static int read_head(struct connection *one) {
  one->head[one->have] = 0;
  char *end = strstr(one->head, "\r\n\r\n");
  if (!end) {
    return one->have < sizeof one->head - 1 ? 0 : -1;
  }
  char *length = strcasestr(one->head, "\r\ncontent-length:");
  if (strncmp(one->head + 8, " 200 ", 5) || !length || length > end) {
    return -1;
  }
  size_t content = strtoul(length + 17, NULL, 10);
  char *hit = strstr(one->head, "; hit");
  hits += hit && hit < end;
  one->in_head = 0;
  one->left = content;
  int sound = !expected_length || content == expected_length;
  return sound && take(one, end + 4, one->have - (size_t)(end + 4 - one->head)) ? 1 : -1;
}

static void read_from(struct connection *one) {
  static char content[BUFFER];
  for (;;) {
    char *to = one->in_head ? one->head + one->have : content;
    size_t room = one->in_head ? sizeof one->head - 1 - one->have : sizeof content;
    ssize_t got = recv(one->fd, to, room, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    }
    int sound = got > 0 && one->due;
    if (sound && one->in_head) {
      one->have += (size_t)got;
      sound = read_head(one) >= 0;
    } else if (sound) {
      sound = take(one, content, (size_t)got);
    }
    if (!sound) {
      errors++;
      close(one->fd); /* it is not asked again */
      return;
    }
    if (!one->in_head && !one->left) {
      answered(one);
      return;
    }
  }
}

static void ask(struct connection *one, int64_t due, const char *size, uint64_t url) {
  char request[1024];
  const char *host = *origin ? origin + strlen("http://") : "bench.example";
  int length = snprintf(request, sizeof request,
                        "GET %s/%s/%llu HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\n"
                        "Accept: */*\r\nAccept-Language: en\r\n%s%s\r\n",
                        origin, size, (unsigned long long)url, host, field, *field ? "\r\n" : "");
  if (length >= (int)sizeof request) {
    fprintf(stderr, "a request is too long\n");
    exit(2);
  }
  one->due = due;
  one->in_head = 1;
  one->have = 0;
  if (send(one->fd, request, (size_t)length, MSG_NOSIGNAL) != length) {
    errors++;
  }
}

static void expect(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fail(path);
  }
  expected_length = fread(expected, 1, sizeof expected, file);
  fclose(file);
}

int main(int count, char **words) {
  int option;
  while ((option = getopt(count, words, "co:f:p:")) != -1) {
    if (option == 'o' && !strncmp(optarg, "http://", strlen("http://"))) {
      origin = optarg;
    } else if (option == 'f') {
      field = optarg;
    } else if (option == 'p') {
      patience_seconds = atof(optarg);
    } else if (option == 'c') {
      closed = 1;
    } else {
      count = 0;
      break;
    }
  }
  count -= optind - 1;
  words += optind - 1;
  if (count != 7 && count != 8) {
    fprintf(stderr, "rate [-c] [-o ORIGIN] [-f FIELD] [-p PATIENCE] PORT CONNECTIONS SECONDS RATE SIZE URLS [FILE]\n");
    return 2;
  }
  if (count == 8) {
    expect(words[7]);
  }
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int connections = atoi(words[2]);
  double seconds = atof(words[3]), rate = atof(words[4]);
  uint64_t urls = strtoull(words[6], NULL, 10), total = (uint64_t)(seconds * rate), asked = 0;
  if (connections < 1 || connections > 65536 || rate <= 0 || urls < 1) {
    fprintf(stderr, "nothing to do\n");
    return 2;
  }
  int poller = epoll_create1(0);
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
  struct connection *all = calloc((size_t)connections, sizeof *all);
  for (int i = 0; i < connections; i++) {
    struct connection *one = &all[i];
    one->fd = socket(AF_INET, SOCK_STREAM, 0);
    int yes = 1;
    setsockopt(one->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(one->fd, (struct sockaddr *)&server, sizeof server)) {
      fail("connect");
    }
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, one->fd, &event)) {
      fail("epoll_ctl");
    }
    idle[idles++] = one;
  }
  int64_t start = now(), last = start + (int64_t)((seconds + patience_seconds) * 1e9);
  int64_t end = start + (int64_t)(seconds * 1e9); /* of a closed loop */
  total = closed ? UINT64_MAX : total;
  while (done + errors < total && now() < last) {
    int64_t time = now();
    total = closed && time >= end ? asked : total;
    while (asked < total && idles) {
      int64_t due = closed ? time : start + (int64_t)((double)asked / rate * 1e9);
      if (due > time) {
        break;
      }
      ask(idle[--idles], due, words[5], asked++ % urls);
    }
    int64_t next = start + (int64_t)((double)asked / rate * 1e9) - now();
    int64_t wait = !closed && asked < total && idles ? (next > 0 ? next : 0) : 100000000;
    struct timespec patience = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
    struct epoll_event events[256];
    int ready = epoll_pwait2(poller, events, 256, &patience, NULL);
    for (int i = 0; i < ready; i++) {
      read_from(events[i].data.ptr);
    }
  }
  errors += total - done - errors; /* what was never answered, too */
  printf("%llu %lld %llu %llu %llu %llu %lld %llu\n", (unsigned long long)done,
         (long long)(now() - start), (unsigned long long)errors, (unsigned long long)quantile(0.5),
         (unsigned long long)quantile(0.99), (unsigned long long)quantile(0.999),
         (long long)longest / 1000, (unsigned long long)hits);
  return errors > 0;
}
