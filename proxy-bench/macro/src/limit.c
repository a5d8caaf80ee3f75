/* What the machine could do at most: `limit serve PORT` answers octets prepared before, without
   reading what was asked but for its size; `limit relay PORT ORIGIN` copies octets both ways, 64 KB
   at a time. One thread, epoll, no allocation after a connection is there. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER 65536
#define EVENTS 512

struct side {
  struct side *other; /* of a relay */
  const char *from;   /* not written yet */
  size_t left;
  uint32_t wanted; /* events asked for */
  int fd;
  int over; /* no more to be read here */
  char buffer[BUFFER]; /* what was read here and goes to the other side */
};

static int loop;
static struct sockaddr_in origin;
static int relays;

static struct answer {
  const char *path;
  size_t content, length;
  char *octets;
} answers[] = {{"4k", 4096, 0, NULL}, {"1k", 1024, 0, NULL}, {"64k", 65536, 0, NULL},
               {"1m", 1048576, 0, NULL}};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void prepare(void) {
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    struct answer *answer = &answers[i];
    answer->octets = malloc(answer->content + 256);
    if (!answer->octets) {
      fail("malloc");
    }
    int head = sprintf(answer->octets,
                       "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nCache-Control: max-age=36000\r\n"
                       "Content-Type: application/octet-stream\r\n\r\n",
                       answer->content);
    memset(answer->octets + head, 'x', answer->content);
    answer->length = (size_t)head + answer->content;
  }
}

static const struct answer *answer_to(const char *request, size_t length) {
  for (size_t i = 1; i < sizeof answers / sizeof *answers; i++) {
    size_t word = strlen(answers[i].path);
    if (length > 5 + word && !memcmp(request + 5, answers[i].path, word)) {
      return &answers[i];
    }
  }
  return &answers[0];
}

static void want(struct side *side, uint32_t events) {
  if (side->wanted != events) {
    struct epoll_event event = {.events = events, .data.ptr = side};
    if (epoll_ctl(loop, side->wanted == ~0u ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, side->fd, &event)) {
      fail("epoll_ctl");
    }
    side->wanted = events;
  }
}

static struct side *side_of(int fd) {
  struct side *side = malloc(sizeof *side);
  if (!side) {
    fail("malloc");
  }
  memset(side, 0, offsetof(struct side, buffer));
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  side->fd = fd;
  side->wanted = ~0u;
  return side;
}

/* Both ends; what epoll still has to tell of them is passed over (fd -1), and freed later. */
static struct side *gone[2 * EVENTS];
static size_t gone_count;

static void end(struct side *side) {
  for (int i = 0; i < 2 && side; i++) {
    struct side *next = side->other;
    if (side->fd >= 0) {
      close(side->fd);
      side->fd = -1;
      gone[gone_count++] = side;
    }
    side = next;
  }
}

/* Writes what is left to be written to a side; -1 where it is over. */
static int drain(struct side *side) {
  while (side->left > 0) {
    ssize_t sent = send(side->fd, side->from, side->left, MSG_NOSIGNAL);
    if (sent < 0) {
      return errno == EAGAIN ? 0 : -1;
    }
    side->from += sent;
    side->left -= (size_t)sent;
  }
  return 0;
}

static void serve(struct side *side) {
  while (side->left == 0) {
    ssize_t got = recv(side->fd, side->buffer, BUFFER, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) {
      end(side);
      return;
    }
    if (got < 0) {
      break;
    }
    const struct answer *answer = answer_to(side->buffer, (size_t)got);
    side->from = answer->octets;
    side->left = answer->length;
    if (drain(side)) {
      end(side);
      return;
    }
    if (side->left == 0) {
      break; /* the next request comes with the next event */
    }
  }
  want(side, side->left ? EPOLLOUT : EPOLLIN);
}

/* Reads here and writes there until one of them would block. */
static int copy(struct side *here, struct side *there) {
  while (there->left == 0 && !here->over) {
    ssize_t got = recv(here->fd, here->buffer, BUFFER, 0);
    if (got < 0) {
      return errno == EAGAIN ? 0 : -1;
    }
    if (got == 0) {
      here->over = 1;
      shutdown(there->fd, SHUT_WR);
      return there->over ? -1 : 0;
    }
    there->from = here->buffer;
    there->left = (size_t)got;
    if (drain(there)) {
      return -1;
    }
    if (got < BUFFER) {
      return 0; /* there was no more */
    }
  }
  return 0;
}

static void relay(struct side *side, uint32_t events) {
  struct side *other = side->other;
  int failed = events & EPOLLERR ? -1 : 0;
  if (!failed && events & EPOLLOUT) {
    failed = drain(side) || (side->left == 0 && copy(other, side));
  }
  if (!failed && events & (EPOLLIN | EPOLLHUP)) {
    failed = copy(side, other);
  }
  if (failed) {
    end(side);
    return;
  }
  struct side *both[] = {side, other};
  for (int i = 0; i < 2; i++) {
    struct side *one = both[i];
    uint32_t in = one->other->left || one->over ? 0 : EPOLLIN;
    want(one, in | (one->left ? EPOLLOUT : 0));
  }
}

static void accepted(int fd) {
  struct side *client = side_of(fd);
  if (relays) {
    int to = socket(AF_INET, SOCK_STREAM, 0);
    if (to < 0 || connect(to, (struct sockaddr *)&origin, sizeof origin)) {
      fail("connect");
    }
    fcntl(to, F_SETFL, O_NONBLOCK);
    struct side *server = side_of(to);
    client->other = server;
    server->other = client;
    want(server, EPOLLIN);
  }
  want(client, EPOLLIN);
}

int main(int count, char **words) {
  if (count < 3 || (relays = !strcmp(words[1], "relay")) != (count == 4)) {
    fprintf(stderr, "limit serve PORT | limit relay PORT ORIGIN\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  prepare();
  origin.sin_family = AF_INET;
  origin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct sockaddr_in here = origin;
  here.sin_port = htons((uint16_t)atoi(words[2]));
  if (relays) {
    origin.sin_port = htons((uint16_t)atoi(words[3]));
  }
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 4096)) {
    fail("listen");
  }
  loop = epoll_create1(0);
  struct epoll_event listening = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(loop, EPOLL_CTL_ADD, listener, &listening);
  for (;;) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(loop, events, EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      struct side *side = events[i].data.ptr;
      if (!side) {
        for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
          accepted(fd);
        }
      } else if (side->fd >= 0 && relays) {
        relay(side, events[i].events);
      } else if (side->fd >= 0) {
        if (drain(side)) {
          end(side);
        } else {
          serve(side);
        }
      }
    }
    while (gone_count > 0) {
      free(gone[--gone_count]);
    }
  }
}
