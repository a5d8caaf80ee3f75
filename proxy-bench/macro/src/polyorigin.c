/*
 * An origin that stores nothing: answers GET /wWORLD/tTYPE/_NUMBER.VERSION from computation
 * (polymix.h), and GET /status with the requests and body octets of objects it was asked for.
 * One thread, keep-alive. Usage: polyorigin PORT [DELAY_MS]; listens on 127.0.0.1 only.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "polymix.h"

#define CONNECTIONS 4096
#define HEAD_ROOM 8192
#define CHUNK 65536
#define FRESH_SECONDS 36000

struct connection {
  bool open;
  bool writing;  /* an answer is on its way or delayed */
  bool waiting;  /* for the delay to pass */
  bool closing;  /* after the answer */
  bool blocked;  /* EPOLLOUT is asked for */
  uint32_t life; /* tells a delayed answer that its connection has gone */
  uint64_t key, sent, size;
  size_t head_length, head_sent, in_length;
  char head[1024];
  char in[HEAD_ROOM];
};

struct delayed {
  double due;
  int fd;
  uint32_t life;
};

static struct connection *connections[CONNECTIONS];
static struct delayed waiting[CONNECTIONS];
static size_t waiting_first, waiting_count;
static uint64_t asked, asked_octets;
static double delay_seconds;
static int poller;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void date(char *to, size_t room, time_t time) {
  struct tm parts;
  gmtime_r(&time, &parts);
  strftime(to, room, "%a, %d %b %Y %H:%M:%S GMT", &parts);
}

static const char *today(time_t ahead) {
  static char texts[2][40];
  static time_t computed[2];
  int which = ahead != 0;
  time_t second = time(NULL);
  if (second != computed[which]) {
    computed[which] = second;
    date(texts[which], sizeof texts[which], second + ahead);
  }
  return texts[which];
}

static void shut(int fd) {
  connections[fd]->open = false;
  connections[fd]->life++;
  close(fd);
}

static void watch(int fd, bool writable) {
  struct connection *connection = connections[fd];
  if (connection->blocked != writable) {
    connection->blocked = writable;
    struct epoll_event event = {.events = EPOLLIN | (writable ? EPOLLOUT : 0), .data.fd = fd};
    epoll_ctl(poller, EPOLL_CTL_MOD, fd, &event);
  }
}

/* Sends until all is sent or the socket is full; false where the connection has gone. */
static bool advance(int fd) {
  static uint8_t buffer[1024 + CHUNK];
  struct connection *connection = connections[fd];
  while (connection->writing && !connection->waiting) {
    size_t head = connection->head_length - connection->head_sent;
    memcpy(buffer, connection->head + connection->head_sent, head);
    uint64_t left = connection->size - connection->sent;
    size_t body = left < CHUNK ? left : CHUNK;
    fill_body(connection->key, connection->sent, buffer + head, body);
    if (head + body > 0) {
      ssize_t sent = send(fd, buffer, head + body, MSG_NOSIGNAL);
      if (sent < 0) {
        if (errno == EAGAIN) {
          watch(fd, true);
          return true;
        }
        shut(fd);
        return false;
      }
      size_t of_head = (size_t)sent < head ? (size_t)sent : head;
      connection->head_sent += of_head;
      connection->sent += (size_t)sent - of_head;
    }
    if (connection->head_sent == connection->head_length && connection->sent == connection->size) {
      connection->writing = false;
      watch(fd, false);
      if (connection->closing) {
        shut(fd);
        return false;
      }
    }
  }
  return true;
}

static void answer_text(struct connection *connection, const char *status, const char *text) {
  connection->size = connection->sent = 0;
  connection->head_length = (size_t)snprintf(
      connection->head, sizeof connection->head,
      "HTTP/1.1 %s\r\nDate: %s\r\nCache-Control: no-store\r\nContent-Type: text/plain\r\n"
      "Content-Length: %zu\r\n\r\n%s",
      status, today(0), strlen(text), text);
}

static void answer_object(struct connection *connection, const char *path, const char *request) {
  unsigned world, type, version;
  unsigned long long id;
  if (sscanf(path, "/w%u/t%u/_%llu.%u", &world, &type, &id, &version) != 4) {
    answer_text(connection, "404 Not Found", "no such object\n");
    return;
  }
  struct object object = object_of(world, id, version);
  asked++;
  asked_octets += object.size;
  char serial[32] = "0";
  const char *field = strcasestr(request, "\r\n" REQUEST_FIELD ":");
  if (field != NULL) {
    sscanf(field + sizeof "\r\n" REQUEST_FIELD, " %31[0-9]", serial);
  }
  char caching[128];
  if (object.cachable) {
    snprintf(caching, sizeof caching, "Expires: %s\r\nCache-Control: max-age=%d\r\n",
             today(FRESH_SECONDS), FRESH_SECONDS);
  } else {
    snprintf(caching, sizeof caching, "Cache-Control: %s\r\n", id % 2 ? "no-store" : "private");
  }
  connection->key = object.key;
  connection->sent = 0;
  connection->size = object.size;
  connection->head_length = (size_t)snprintf(
      connection->head, sizeof connection->head,
      "HTTP/1.1 200 OK\r\nDate: %s\r\nServer: polyorigin\r\nContent-Type: %s\r\n"
      "Content-Length: %u\r\nLast-Modified: Sat, 01 Jan 2022 00:00:00 GMT\r\n%s" SERVED_FIELD
      ": %s\r\n\r\n",
      today(0), CONTENTS[object.type].media_type, object.size, caching, serial);
}

/* Answers the whole requests that have arrived, one after the other. */
static void serve(int fd) {
  struct connection *connection = connections[fd];
  while (!connection->writing) {
    connection->in[connection->in_length] = 0;
    char *end = strstr(connection->in, "\r\n\r\n");
    if (end == NULL) {
      if (connection->in_length == HEAD_ROOM - 1) {
        shut(fd);
      }
      return;
    }
    end[2] = 0;
    char *line = strstr(connection->in, "\r\n");
    char *path = strchr(connection->in, '/');
    bool absolute = path != NULL && path < line && path[1] == '/';
    if (absolute) {
      path = strchr(path + 2, '/');
    }
    connection->closing = strcasestr(connection->in, "\r\nConnection: close") != NULL;
    connection->writing = true;
    connection->head_sent = 0;
    if (path == NULL || path > line || strncmp(connection->in, "GET ", 4) != 0) {
      answer_text(connection, "400 Bad Request", "GET of an object was expected\n");
      connection->closing = true;
    } else if (strncmp(path, "/status ", 8) == 0) {
      char text[64];
      snprintf(text, sizeof text, "%llu %llu\n", (unsigned long long)asked,
               (unsigned long long)asked_octets);
      answer_text(connection, "200 OK", text);
    } else {
      answer_object(connection, path, line);
      if (delay_seconds > 0 && waiting_count < CONNECTIONS) {
        connection->waiting = true;
        waiting[(waiting_first + waiting_count++) % CONNECTIONS] =
            (struct delayed){now() + delay_seconds, fd, connection->life};
      }
    }
    size_t used = (size_t)(end + 4 - connection->in);
    memmove(connection->in, end + 4, connection->in_length - used);
    connection->in_length -= used;
    if (!advance(fd)) {
      return;
    }
  }
}

static void receive(int fd) {
  struct connection *connection = connections[fd];
  size_t room = HEAD_ROOM - 1 - connection->in_length;
  if (room == 0) {
    shut(fd);
    return;
  }
  ssize_t got = recv(fd, connection->in + connection->in_length, room, 0);
  if (got <= 0) {
    if (got == 0 || errno != EAGAIN) {
      shut(fd);
    }
    return;
  }
  connection->in_length += (size_t)got;
  serve(fd);
}

static void welcome(int listener) {
  int fd;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    if (fd >= CONNECTIONS) {
      close(fd);
      continue;
    }
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connections[fd] == NULL) {
      connections[fd] = calloc(1, sizeof *connections[fd]);
    }
    uint32_t life = connections[fd]->life;
    memset(connections[fd], 0, offsetof(struct connection, head));
    connections[fd]->life = life;
    connections[fd]->open = true;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  }
}

/* Lets delayed answers go; returns the milliseconds until the next one, -1 where there is none. */
static int release(void) {
  while (waiting_count > 0) {
    struct delayed first = waiting[waiting_first];
    double left = first.due - now();
    struct connection *connection = connections[first.fd];
    bool gone = !connection->open || connection->life != first.life;
    if (left > 0 && !gone) {
      return (int)(left * 1000) + 1;
    }
    waiting_first = (waiting_first + 1) % CONNECTIONS;
    waiting_count--;
    if (!gone) {
      connection->waiting = false;
      if (advance(first.fd)) {
        serve(first.fd);
      }
    }
  }
  return -1;
}

int main(int count, char **words) {
  if (count < 2) {
    fprintf(stderr, "usage: polyorigin PORT [DELAY_MS]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  delay_seconds = count > 2 ? atof(words[2]) / 1000 : 0;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(words[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, 1024) != 0) {
    perror("polyorigin");
    return 1;
  }
  poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  struct epoll_event events[256];
  for (;;) {
    int ready = epoll_wait(poller, events, 256, release());
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        welcome(listener);
      } else if (connections[fd]->open) {
        if (events[i].events & EPOLLOUT) {
          if (!advance(fd)) {
            continue;
          }
          serve(fd);
        }
        if (connections[fd]->open && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
          receive(fd);
        }
      }
    }
  }
}
