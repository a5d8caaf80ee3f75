/*
 * An origin that stores nothing: answers GET and HEAD of /wWORLD/tTYPE/_NUMBER.VERSION from computation
 * (polymix.h), with 304 where a condition says that the client has it, and POST with 204. A request whose
 * X-Request has CUT_MARK gets half of the body. GET /status: the requests for objects and octets of bodies
 * so far. GET /think/MEAN/DEVIATION: milliseconds before each answer from now on, normally distributed.
 * One thread, keep-alive. Usage: polyorigin PORT; listens on 127.0.0.1 only.
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

#define CONNECTIONS 65536
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

/* An answer that waits; a heap has the next one first. */
struct delayed {
  double due;
  int fd;
  uint32_t life;
};

static struct connection *connections[CONNECTIONS];
static struct delayed waiting[CONNECTIONS];
static size_t waiting_count;
static uint64_t asked, asked_octets, random_state;
static double think_mean, think_deviation; /* seconds */
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

static double think_seconds(void) {
  if (think_deviation <= 0) {
    return think_mean;
  }
  double first = 1 - next_uniform(&random_state), second = next_uniform(&random_state);
  double normal = sqrt(-2 * log(first)) * cos(2 * M_PI * second);
  return think_mean + think_deviation * normal;
}

static void swap(size_t one, size_t other) {
  struct delayed held = waiting[one];
  waiting[one] = waiting[other];
  waiting[other] = held;
}

static void push(struct delayed delayed) {
  size_t place = waiting_count++;
  waiting[place] = delayed;
  for (; place > 0 && waiting[place].due < waiting[(place - 1) / 2].due; place = (place - 1) / 2) {
    swap(place, (place - 1) / 2);
  }
}

static struct delayed pop(void) {
  struct delayed first = waiting[0];
  waiting[0] = waiting[--waiting_count];
  for (size_t place = 0, child; (child = 2 * place + 1) < waiting_count; place = child) {
    if (child + 1 < waiting_count && waiting[child + 1].due < waiting[child].due) {
      child++;
    }
    if (waiting[place].due <= waiting[child].due) {
      break;
    }
    swap(place, child);
  }
  return first;
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

/* The value of a field, NULL where the head has none. */
static const char *field(const char *head, const char *name) {
  const char *found = strcasestr(head, name);
  return found == NULL ? NULL : found + strlen(name) + strspn(found + strlen(name), " ");
}

/* Whether the client has what it asks for. */
static bool is_unchanged(const char *head, const char *etag) {
  const char *tags = field(head, "\r\nIf-None-Match:");
  if (tags != NULL) {
    return strncmp(tags, etag, strlen(etag)) == 0;
  }
  const char *since = field(head, "\r\nIf-Modified-Since:");
  struct tm had = {0}, changed = {0};
  return since != NULL && strptime(since, "%a, %d %b %Y %H:%M:%S", &had) != NULL &&
         strptime(LAST_MODIFIED, "%a, %d %b %Y %H:%M:%S", &changed) != NULL &&
         timegm(&had) >= timegm(&changed);
}

static void answer_object(struct connection *connection, const char *path, const char *head) {
  unsigned world, type, version;
  unsigned long long id;
  if (sscanf(path, "/w%u/t%u/_%llu.%u", &world, &type, &id, &version) != 4) {
    answer_text(connection, "404 Not Found", "no such object\n");
    return;
  }
  struct object object = object_of(world, id, version);
  char serial[32] = "0", etag[64], caching[128], length[64] = "";
  const char *number = field(head, "\r\n" REQUEST_FIELD ":");
  if (number != NULL) {
    sscanf(number, "%31[0-9" CUT_MARK "]", serial);
  }
  snprintf(etag, sizeof etag, ETAG_FORMAT, world, id, version);
  if (object.cachable) {
    snprintf(caching, sizeof caching, "Expires: %s\r\nCache-Control: max-age=%d\r\n",
             today(FRESH_SECONDS), FRESH_SECONDS);
  } else {
    snprintf(caching, sizeof caching, "Cache-Control: %s\r\n", id % 2 ? "no-store" : "private");
  }
  bool unchanged = is_unchanged(head, etag), cut = strstr(serial, CUT_MARK) != NULL;
  if (!unchanged) {
    snprintf(length, sizeof length, "Content-Length: %u\r\n", object.size);
  }
  connection->key = object.key;
  connection->sent = 0;
  connection->size = unchanged || connection->in[0] == 'H' ? 0 : cut ? object.size / 2 : object.size;
  connection->closing |= cut && !unchanged;
  asked++;
  asked_octets += connection->size;
  connection->head_length = (size_t)snprintf(
      connection->head, sizeof connection->head,
      "HTTP/1.1 %s\r\nDate: %s\r\nServer: polyorigin\r\nContent-Type: %s\r\n%s"
      "Last-Modified: " LAST_MODIFIED "\r\nETag: %s\r\n%s" SERVED_FIELD ": %s\r\n\r\n",
      unchanged ? "304 Not Modified" : "200 OK", today(0), CONTENTS[object.type].media_type, length,
      etag, caching, serial);
}

static void answer_post(struct connection *connection) {
  connection->size = connection->sent = 0;
  connection->head_length =
      (size_t)snprintf(connection->head, sizeof connection->head,
                       "HTTP/1.1 204 No Content\r\nDate: %s\r\n\r\n", today(0));
}

static void answer_control(struct connection *connection, const char *path) {
  double mean, deviation;
  char text[64];
  if (sscanf(path, "/think/%lf/%lf ", &mean, &deviation) == 2) {
    think_mean = mean / 1000;
    think_deviation = deviation / 1000;
  }
  snprintf(text, sizeof text, "%llu %llu\n", (unsigned long long)asked,
           (unsigned long long)asked_octets);
  answer_text(connection, "200 OK", text);
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
    const char *length = strncmp(connection->in, "POST ", 5) == 0
                             ? field(connection->in, "\r\nContent-Length:")
                             : NULL;
    size_t used = (size_t)(end + 4 - connection->in) + (length == NULL ? 0 : strtoul(length, NULL, 10));
    if (used > connection->in_length) {
      if (used >= HEAD_ROOM) {
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
    bool is_get = strncmp(connection->in, "GET ", 4) == 0;
    bool is_object = true;
    if (path == NULL || path > line) {
      answer_text(connection, "400 Bad Request", "a path was expected\n");
      connection->closing = true;
    } else if (strncmp(path, "/status ", 8) == 0 || strncmp(path, "/think/", 7) == 0) {
      answer_control(connection, path);
      is_object = false;
    } else if (is_get || strncmp(connection->in, "HEAD ", 5) == 0) {
      answer_object(connection, path, line);
    } else if (strncmp(connection->in, "POST ", 5) == 0) {
      answer_post(connection);
    } else {
      answer_text(connection, "405 Method Not Allowed", "GET, HEAD or POST was expected\n");
    }
    double think = is_object ? think_seconds() : 0;
    if (think > 0 && waiting_count < CONNECTIONS) {
      connection->waiting = true;
      push((struct delayed){now() + think, fd, connection->life});
    }
    memmove(connection->in, connection->in + used, connection->in_length - used);
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
    double left = waiting[0].due - now();
    struct connection *connection = connections[waiting[0].fd];
    bool gone = !connection->open || connection->life != waiting[0].life;
    if (left > 0 && !gone) {
      return (int)(left * 1000) + 1;
    }
    int fd = pop().fd;
    if (!gone) {
      connection->waiting = false;
      if (advance(fd)) {
        serve(fd);
      }
    }
  }
  return -1;
}

int main(int count, char **words) {
  if (count < 2) {
    fprintf(stderr, "usage: polyorigin PORT\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(words[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, 4096) != 0) {
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
