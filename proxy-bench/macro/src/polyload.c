/*
 * Asks a proxy for objects of polymix.h in a sequence that is a function of the seed, verifies every
 * octet of the answers, and computes what an infinite cache would have done with the same sequence.
 *
 * Usage: polyload PORT CONNECTIONS SEED [LRU_OCTETS]...
 * Port 0 asks nobody: the sequence goes through LRU caches of the given sizes instead.
 *
 * Reads one phase per line from standard input,
 * "NAME WORLD WINDOW RECURRENCE COUNT NEW SECONDS RATE BIAS [KEY=VALUE]...", and writes one line of
 * JSON when it is over: after COUNT requests, NEW new objects or SECONDS, whichever comes first, 0
 * meaning no limit. RATE is the requests due in a second, 0 meaning as many as the connections carry;
 * with a RATE the latency of a request counts from when it was due, so that a proxy that stands still
 * pays for all that were due meanwhile. An object is new, or, with probability RECURRENCE, one of the
 * last WINDOW new ones of its world: uniform over them, but one in ten such requests goes to every
 * hundredth of them (PolyMix's hot set). With probability BIAS the smallest cachable one of nine
 * neighbours is asked for instead, of the hot set where it was one of those, if what was drawn is
 * cachable itself (PolyMix-4's bhr_discrimination). WINDOW 0: no new objects, all that are there.
 *
 * Keys: the share of each kind of request but the plain one (kind_names), as in head=0.1;
 * known=N: another process has asked for the first N objects of the world; once=1: every cachable
 * object of the world one time, in order.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "polymix.h"

#define WORLDS 8
#define HEAD_ROOM 8192
#define RECEIVE_ROOM (256 * 1024)
#define ANSWER_SECONDS 30.0
#define FAILED_CONNECTS 200
#define ERRORS_SHOWN 5
#define HOT_SHARE 0.10
#define HOT_STEP 100
#define NEIGHBOURS 4 /* on each side */
#define NONE UINT32_MAX
#define ABORT_READ 1024 /* octets after which a client that aborts goes away */
#define RECENT 65536    /* requests whose end is remembered; a power of two */
#define CONNECTIONS_PER_ADDRESS 20000

/*
 * Kinds of requests. INM and IMS304 ask whether the object has changed, which it never has; IMS200 has
 * an older copy; a client goes away from ABORT, and the origin from CUT, in mid-transfer.
 */
enum kind { PLAIN, HEAD, INM, IMS200, IMS304, RELOAD, POST, PURGE, ABORT, CUT, KINDS };
static const char *const kind_names[KINDS] = {
    "plain", "head", "inm", "ims200", "ims304", "reload", "post", "purge", "abort", "cut",
};

struct world {
  uint64_t random;
  uint64_t next; /* number of the next new object */
  bool *stored;  /* by object: an infinite cache has it */
  uint64_t room;
};

struct connection {
  int fd; /* -1: none */
  bool busy, in_body, hit, cachable, answered_before, again, cut;
  bool unsent; /* the connection was not open yet */
  enum kind kind;
  uint32_t world, size;
  uint64_t id, key, received, serial;
  uint64_t expected; /* octets of this answer's body */
  double since;      /* when the request was due */
  double asked;
  size_t head_length;
  char head[HEAD_ROOM];
};

#define NO_HIT UINT64_MAX

/* An LRU cache of octets, of the objects of one world after the other. */
struct lru {
  uint64_t limit, held, hits, hit_octets;
  uint32_t *newer, *older; /* by object; a world's numbers are offset by its place */
  bool *in;
  uint32_t room, newest, oldest;
};

enum { BUCKETS = 64 * 32 };

struct phase {
  char name[64];
  uint32_t world;
  uint64_t window, limit, new_limit;
  double recurrence, seconds, rate, bias;
  double shares[KINDS];
  bool mixed, once;
  uint64_t place; /* of the next object of a phase that asks for each once */
  int most;       /* requests in flight */
  double started;
  uint64_t issued, fresh, fresh_octets, done, octets, hits, hit_octets;
  uint64_t ideal_hits, ideal_octets, cachable;
  uint64_t wrong, errors, reconnects, not_modified, aborted, cut;
  uint64_t latency[2][BUCKETS], by_kind[KINDS][BUCKETS];
  double micros[2]; /* of all misses and hits together */
};

static struct world worlds[WORLDS];
static struct connection *connections, **idle;
static int idle_count;
static double ended[RECENT]; /* by serial: when it was, 0 where it was not yet */
static int connection_count, port, poller, in_flight, failed_connects;
static uint64_t serial, seed;
static struct phase phase;
static struct lru lrus[8];
static int lru_count;
static unsigned errors_shown;
static bool over;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Log-linear: 32 steps for each power of two of microseconds. */
static unsigned bucket_of(uint64_t micros) {
  if (micros < 64) {
    return (unsigned)micros;
  }
  unsigned power = 63 - (unsigned)__builtin_clzll(micros);
  unsigned bucket = (power - 4) * 32 + (unsigned)(micros >> (power - 5) & 31);
  return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static double micros_of(unsigned bucket) {
  if (bucket < 64) {
    return bucket;
  }
  unsigned power = bucket / 32 + 4;
  return (double)((32ull + bucket % 32) << (power - 5)) + (double)(1ull << (power - 5)) / 2;
}

static uint64_t sum(const uint64_t *counts) {
  uint64_t all = 0;
  for (unsigned i = 0; i < BUCKETS; i++) {
    all += counts[i];
  }
  return all;
}

static double percentile(const uint64_t *counts, double share) {
  uint64_t all = sum(counts), below = 0;
  for (unsigned i = 0; i < BUCKETS; i++) {
    below += counts[i];
    if (below > 0 && (double)below >= share * (double)all) {
      return micros_of(i);
    }
  }
  return 0;
}

/* The smallest cachable one near the place-th of count objects, each step-th from first on. */
static uint64_t smallest_near(uint64_t first, uint64_t step, uint64_t count, uint64_t place) {
  uint64_t found = first + place * step;
  struct object smallest = object_of(phase.world, found, 0);
  if (!smallest.cachable) {
    return found;
  }
  uint64_t from = place < NEIGHBOURS ? 0 : place - NEIGHBOURS;
  uint64_t last = count - 1 - place < NEIGHBOURS ? count - 1 : place + NEIGHBOURS;
  for (uint64_t i = from; i <= last; i++) {
    struct object object = object_of(phase.world, first + i * step, 0);
    if (object.cachable && object.size < smallest.size) {
      smallest = object;
      found = first + i * step;
    }
  }
  return found;
}

static void skip_to_cachable(void) {
  while (phase.place < worlds[phase.world].next &&
         !object_of(phase.world, phase.place, 0).cachable) {
    phase.place++;
  }
}

static bool *stored_of(struct world *world, uint64_t id) {
  if (id >= world->room) {
    uint64_t room = id * 2 + 1024;
    world->stored = realloc(world->stored, room * sizeof *world->stored);
    memset(world->stored + world->room, 0, room - world->room);
    world->room = room;
  }
  return &world->stored[id];
}

/* An infinite cache has the first objects of the phase's world. */
static void know(uint64_t count) {
  struct world *world = &worlds[phase.world];
  for (; world->next < count; world->next++) {
    *stored_of(world, world->next) = object_of(phase.world, world->next, 0).cachable;
  }
}

static bool next_object(uint64_t *id) {
  struct world *world = &worlds[phase.world];
  if (phase.once) {
    *id = phase.place++;
    skip_to_cachable();
    return false;
  }
  bool frozen = phase.window == 0;
  uint64_t window = frozen || world->next < phase.window ? world->next : phase.window;
  uint64_t first = world->next - window;
  if (!frozen && (window == 0 || next_uniform(&world->random) >= phase.recurrence)) {
    *id = world->next++;
    phase.fresh++;
    return true;
  }
  uint64_t first_hot = (first + HOT_STEP - 1) / HOT_STEP;
  uint64_t hot = (world->next + HOT_STEP - 1) / HOT_STEP - first_hot;
  bool to_hot = next_uniform(&world->random) < HOT_SHARE && hot > 0;
  uint64_t step = to_hot ? HOT_STEP : 1;
  uint64_t count = to_hot ? hot : window;
  uint64_t place = (uint64_t)(next_uniform(&world->random) * (double)count);
  first = to_hot ? first_hot * HOT_STEP : first;
  bool to_small = phase.bias > 0 && next_uniform(&world->random) < phase.bias;
  *id = to_small ? smallest_near(first, step, count, place) : first + place * step;
  return false;
}

static enum kind next_kind(void) {
  if (!phase.mixed) {
    return PLAIN;
  }
  double place = next_uniform(&worlds[phase.world].random);
  for (enum kind kind = PLAIN + 1; kind < KINDS; kind++) {
    if (place < phase.shares[kind]) {
      return kind;
    }
    place -= phase.shares[kind];
  }
  return PLAIN;
}

static bool finished(void) {
  return over || (phase.once && phase.place >= worlds[phase.world].next) ||
         (phase.limit > 0 && phase.issued >= phase.limit) ||
         (phase.new_limit > 0 && phase.fresh >= phase.new_limit) ||
         (phase.seconds > 0 && now() - phase.started >= phase.seconds);
}

static void unlink_lru(struct lru *lru, uint32_t entry) {
  uint32_t newer = lru->newer[entry], older = lru->older[entry];
  *(newer == NONE ? &lru->newest : &lru->older[newer]) = older;
  *(older == NONE ? &lru->oldest : &lru->newer[older]) = newer;
}

static void reference_lru(struct lru *lru, uint64_t id, uint32_t size, uint64_t served) {
  uint32_t entry = (uint32_t)(id * WORLDS + phase.world);
  if (entry >= lru->room) {
    uint32_t room = entry * 2 + 1024;
    lru->newer = realloc(lru->newer, room * sizeof *lru->newer);
    lru->older = realloc(lru->older, room * sizeof *lru->older);
    lru->in = realloc(lru->in, room * sizeof *lru->in);
    memset(lru->in + lru->room, 0, room - lru->room);
    lru->room = room;
  }
  if (lru->in[entry]) {
    lru->hits += served != NO_HIT;
    lru->hit_octets += served != NO_HIT ? served : 0;
    unlink_lru(lru, entry);
  } else {
    lru->in[entry] = true;
    lru->held += size;
  }
  lru->newer[entry] = NONE;
  lru->older[entry] = lru->newest;
  *(lru->newest == NONE ? &lru->oldest : &lru->newer[lru->newest]) = entry;
  lru->newest = entry;
  while (lru->held > lru->limit) {
    uint32_t last = lru->oldest;
    lru->held -= object_of(last % WORLDS, last / WORLDS, 0).size;
    lru->in[last] = false;
    unlink_lru(lru, last);
  }
}

static bool is_answered_from_cache(enum kind kind) {
  return kind != RELOAD && kind != POST && kind != PURGE;
}

/* Octets of an object that a request brings to the client, if nobody goes away. */
static uint64_t body_octets(enum kind kind, uint32_t size) {
  return kind == HEAD || kind == INM || kind == IMS304 || kind == POST || kind == PURGE ? 0 : size;
}

/* The next request of the sequence, counted. */
static struct object next_request(uint64_t *id, enum kind *kind) {
  bool fresh = next_object(id);
  *kind = next_kind();
  struct object object = object_of(phase.world, *id, 0);
  bool *stored = stored_of(&worlds[phase.world], *id);
  phase.issued++;
  phase.cachable += object.cachable;
  phase.fresh_octets += fresh && object.cachable ? object.size : 0;
  if (*stored && is_answered_from_cache(*kind)) {
    phase.ideal_hits++;
    phase.ideal_octets += body_octets(*kind, object.size);
  }
  if (*kind == POST || *kind == PURGE) {
    *stored = false;
  } else if (body_octets(*kind, object.size) > 0 && *kind != CUT) {
    *stored = object.cachable;
  }
  return object;
}

static void error_of(const struct connection *connection, const char *what) {
  phase.errors++;
  if (errors_shown++ < ERRORS_SHOWN) {
    fprintf(stderr, "polyload: object %llu of world %u, %u octets, after %llu: %s\n",
            (unsigned long long)connection->id, connection->world, connection->size,
            (unsigned long long)connection->received, what);
  }
}

static void hang_up(struct connection *connection) {
  if (connection->fd >= 0) {
    close(connection->fd);
  }
  connection->fd = -1;
  connection->unsent = false;
}

/* The connection asks for nothing; its request, if it had one, is over. */
static void release(struct connection *connection) {
  ended[connection->serial % RECENT] = now();
  connection->busy = false;
  in_flight--;
  idle[idle_count++] = connection;
}

static bool call(struct connection *connection) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;
  /* an address has some 28,000 ports to call from */
  uint32_t source = (uint32_t)((connection - connections) / CONNECTIONS_PER_ADDRESS);
  struct sockaddr_in from = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK + source)};
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  if ((source > 0 && bind(fd, (struct sockaddr *)&from, sizeof from) != 0) ||
      (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS)) {
    close(fd);
    return false;
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  connection->fd = fd;
  connection->answered_before = false;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  return true;
}

static int write_request(const struct connection *connection, char *to, size_t room) {
  static const char *const methods[KINDS] = {[HEAD] = "HEAD", [POST] = "POST", [PURGE] = "PURGE"};
  enum kind kind = connection->kind;
  char condition[128] = "";
  if (kind == INM) {
    snprintf(condition, sizeof condition, "If-None-Match: " ETAG_FORMAT "\r\n", connection->world,
             (unsigned long long)connection->id, 0u);
  } else if (kind == IMS200 || kind == IMS304) {
    snprintf(condition, sizeof condition, "If-Modified-Since: %s\r\n",
             kind == IMS304 ? LAST_MODIFIED : BEFORE_LAST_MODIFIED);
  }
  return snprintf(to, room,
                  "%s /w%u/t%u/_%08llu.0 HTTP/1.1\r\nHost: bench.example\r\nUser-Agent: polyload\r\n"
                  "Accept: */*\r\nAccept-Language: en\r\n%s%s" REQUEST_FIELD ": %llu%s\r\n\r\n%s",
                  methods[kind] != NULL ? methods[kind] : "GET", connection->world,
                  object_of(connection->world, connection->id, 0).type,
                  (unsigned long long)connection->id, condition,
                  kind == RELOAD ? "Cache-Control: no-cache\r\nPragma: no-cache\r\n"
                  : kind == POST ? "Content-Type: text/plain\r\nContent-Length: 4\r\n"
                                 : "",
                  (unsigned long long)connection->serial, kind == CUT ? CUT_MARK : "",
                  kind == POST ? "post" : "");
}

static void watch(struct connection *connection, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_MOD, connection->fd, &event);
}

/* Sends the request, or waits until the connection is open; false where it is broken. */
static bool send_request(struct connection *connection) {
  char request[512];
  int length = write_request(connection, request, sizeof request);
  ssize_t sent = send(connection->fd, request, (size_t)length, MSG_NOSIGNAL);
  bool later = sent < 0 && errno == EAGAIN;
  if (later != connection->unsent) {
    connection->unsent = later;
    watch(connection, later ? EPOLLOUT : EPOLLIN);
  }
  return later || sent == length;
}

static void end(struct connection *connection, const char *problem) {
  release(connection);
  if (problem != NULL) {
    error_of(connection, problem);
    hang_up(connection);
    return;
  }
  double micros = (now() - connection->since) * 1e6;
  unsigned bucket = bucket_of((uint64_t)micros);
  phase.latency[connection->hit][bucket]++;
  phase.by_kind[connection->kind][bucket]++;
  phase.micros[connection->hit] += micros;
  phase.done++;
  phase.octets += connection->expected;
  if (connection->hit) {
    phase.hits++;
    phase.hit_octets += connection->expected;
  }
  connection->answered_before = true;
}

/* Ends a request that could not be sent; with too many of them the phase is over. */
static void fail(struct connection *connection, const char *problem) {
  end(connection, problem);
  over = ++failed_connects >= FAILED_CONNECTS;
}

static void ask(struct connection *connection) {
  connection->serial = ++serial;
  ended[serial % RECENT] = 0;
  connection->asked = now();
  connection->in_body = false;
  connection->head_length = 0;
  connection->received = 0;
  if (connection->fd < 0 && !call(connection)) {
    fail(connection, "cannot connect");
    return;
  }
  if (!send_request(connection)) {
    hang_up(connection);
    if (connection->again || !call(connection) || !send_request(connection)) {
      fail(connection, "cannot send");
      return;
    }
    connection->again = true;
    phase.reconnects++;
  }
}

/* When the next request is due, in seconds since the phase began; 0 where there is no schedule. */
static double next_due(void) { return phase.rate > 0 ? (double)phase.issued / phase.rate : 0; }

/* Lets idle connections ask for what is due. */
static void issue(void) {
  while (idle_count > 0 && !finished() &&
         (phase.rate <= 0 || now() - phase.started >= next_due())) {
    struct connection *connection = idle[--idle_count];
    connection->since = phase.rate > 0 ? phase.started + next_due() : now();
    struct object object = next_request(&connection->id, &connection->kind);
    connection->world = phase.world;
    connection->size = object.size;
    connection->key = object.key;
    connection->cachable = object.cachable;
    connection->hit = connection->cut = false;
    connection->busy = true;
    connection->again = false;
    in_flight++;
    phase.most = in_flight > phase.most ? in_flight : phase.most;
    ask(connection);
  }
}

/* Ends a request that was meant to end early. */
static void end_early(struct connection *connection, uint64_t *count) {
  ++*count;
  phase.octets += connection->received;
  release(connection);
  hang_up(connection);
}

/* Whether a request that this one began beside may have fetched for both. */
static bool was_beside(const struct connection *connection, uint64_t other) {
  return other > 0 && other <= serial && serial - other < RECENT &&
         (ended[other % RECENT] == 0 || ended[other % RECENT] >= connection->asked);
}

static const char *wrong(const char *what) {
  phase.wrong++;
  return what;
}

/* Reads who an answer was made for: tells a hit, and an answer that the origin cuts. */
static const char *read_served(struct connection *connection, const char *field) {
  char *rest;
  uint64_t served = strtoull(field, &rest, 10);
  connection->hit = served != connection->serial;
  connection->cut =
      *rest == *CUT_MARK && (!connection->hit || was_beside(connection, served));
  return connection->hit && !connection->cachable && connection->kind != POST
             ? wrong("served from a cache what must not be stored")
             : NULL;
}

/* Returns what is wrong with the head, NULL where nothing is. */
static const char *read_head(struct connection *connection) {
  const char *head = connection->head;
  enum kind kind = connection->kind;
  int status = strncmp(head, "HTTP/1.1 ", 9) == 0 ? atoi(head + 9) : 0;
  const char *served = strcasestr(head, "\r\n" SERVED_FIELD ":");
  connection->expected = 0;
  if (kind == POST || kind == PURGE) {
    bool good = status == 200 || status == 204 || (kind == PURGE && status == 404);
    return good ? NULL : head;
  }
  if (status == 304 && (kind == INM || kind == IMS304)) {
    phase.not_modified++;
    connection->hit = true; /* a cache need not repeat who it fetched for */
    return served == NULL ? NULL : read_served(connection, served + sizeof "\r\n" SERVED_FIELD);
  }
  if (status != 200) {
    return head;
  }
  const char *length = strcasestr(head, "\r\nContent-Length:");
  if (length == NULL) {
    return "no Content-Length";
  }
  if (strtoull(length + 17, NULL, 10) != connection->size) {
    return wrong("wrong Content-Length");
  }
  if (served == NULL) {
    return "no " SERVED_FIELD;
  }
  connection->expected = kind == HEAD ? 0 : connection->size;
  return read_served(connection, served + sizeof "\r\n" SERVED_FIELD);
}

static void arrived(struct connection *connection, const uint8_t *data, size_t length) {
  if (!connection->busy) {
    hang_up(connection);
    return;
  }
  if (!connection->in_body) {
    size_t room = HEAD_ROOM - 1 - connection->head_length;
    size_t taken = length < room ? length : room;
    char *to = connection->head + connection->head_length;
    memcpy(to, data, taken);
    to[taken] = 0;
    size_t back = connection->head_length < 3 ? connection->head_length : 3;
    char *close = memmem(to - back, taken + back, "\r\n\r\n", 4);
    if (close == NULL) {
      connection->head_length += taken;
      if (taken == room) {
        end(connection, "head too long");
      }
      return;
    }
    close[2] = 0;
    const char *problem = read_head(connection);
    if (problem == connection->head && connection->kind == CUT) {
      end_early(connection, &phase.cut); /* told by a status */
      return;
    }
    if (problem != NULL) {
      end(connection, problem);
      return;
    }
    if (connection->kind == POST || connection->kind == PURGE) {
      end(connection, NULL);
      hang_up(connection); /* whatever text comes with it */
      return;
    }
    size_t used = (size_t)(close + 4 - to);
    data += used;
    length -= used;
    connection->in_body = true;
  }
  if (length > connection->expected - connection->received) {
    end(connection, wrong("more octets than promised"));
    return;
  }
  if (!equals_body(connection->key, connection->received, data, length)) {
    end(connection, wrong("wrong body"));
    return;
  }
  connection->received += length;
  if (connection->received < connection->expected && connection->kind == ABORT) {
    end_early(connection, &phase.aborted);
    return;
  }
  if (connection->received == connection->expected) {
    bool last = strcasestr(connection->head, "\r\nConnection: close") != NULL;
    end(connection, NULL);
    if (last) {
      hang_up(connection);
      phase.reconnects++;
    }
  }
}

static void gone(struct connection *connection) {
  hang_up(connection);
  if (!connection->busy) {
    return;
  }
  bool idle_close = connection->answered_before && connection->head_length == 0 &&
                    !connection->in_body && !connection->again;
  if (idle_close) {
    connection->again = true;
    phase.reconnects++;
    ask(connection);
  } else if (connection->cut || connection->kind == CUT) {
    end_early(connection, &phase.cut);
  } else {
    end(connection, "connection closed too early");
  }
}

static void give_up_the_late(void) {
  for (int i = 0; i < connection_count; i++) {
    if (connections[i].busy && now() - connections[i].asked > ANSWER_SECONDS) {
      end(&connections[i], "no answer in time");
    }
  }
}

/* Until the next request is due and can be sent, a while at most. */
static struct timespec patience_until_due(void) {
  double left = 0.2;
  if (phase.rate > 0 && idle_count > 0 && !finished()) {
    left = fmin(left, fmax(0, next_due() - (now() - phase.started)));
  }
  return (struct timespec){.tv_nsec = (long)(left * 1e9)};
}

static void run_phase(void) {
  static uint8_t buffer[RECEIVE_ROOM];
  struct epoll_event events[256];
  double checked = now();
  over = false;
  failed_connects = 0;
  do {
    issue();
    struct timespec patience = patience_until_due();
    int ready = epoll_pwait2(poller, events, 256, &patience, NULL);
    for (int i = 0; i < ready; i++) {
      struct connection *connection = events[i].data.ptr;
      if (connection->fd < 0) {
        continue;
      }
      if (connection->unsent) {
        if (!send_request(connection)) {
          fail(connection, "cannot connect");
        }
        continue;
      }
      bool leaves = connection->busy && connection->kind == ABORT;
      ssize_t got = recv(connection->fd, buffer, leaves ? ABORT_READ : sizeof buffer, 0);
      if (got > 0) {
        arrived(connection, buffer, (size_t)got);
      } else if (got == 0 || errno != EAGAIN) {
        gone(connection);
      }
      issue();
    }
    if (now() - checked > 1) {
      checked = now();
      give_up_the_late();
    }
  } while (in_flight > 0 || !finished());
}

static void run_dry(void) {
  while (!finished()) {
    uint64_t id;
    enum kind kind;
    struct object object = next_request(&id, &kind);
    phase.done++;
    phase.octets += body_octets(kind, object.size);
    for (int i = 0; i < lru_count && *stored_of(&worlds[phase.world], id); i++) {
      reference_lru(&lrus[i], id, object.size,
                    is_answered_from_cache(kind) ? body_octets(kind, object.size) : NO_HIT);
    }
  }
}

static void report_latency(const char *name, const uint64_t *counts) {
  printf(", \"%s_count\": %llu, \"%s_p50\": %.0f, \"%s_p99\": %.0f, \"%s_max\": %.0f", name,
         (unsigned long long)sum(counts), name, percentile(counts, 0.5), name,
         percentile(counts, 0.99), name, percentile(counts, 1));
}

/* Reads the keys of a line; whether it knows all of them. */
static bool read_keys(char *text) {
  for (char *word = strtok(text, " \n"); word != NULL; word = strtok(NULL, " \n")) {
    char *value = strchr(word, '=');
    if (value == NULL) {
      return false;
    }
    *value++ = 0;
    enum kind kind = PLAIN + 1;
    while (kind < KINDS && strcmp(word, kind_names[kind]) != 0) {
      kind++;
    }
    if (kind < KINDS) {
      phase.shares[kind] = atof(value);
      phase.mixed = true;
    } else if (strcmp(word, "known") == 0) {
      know(strtoull(value, NULL, 10));
    } else if (strcmp(word, "once") == 0) {
      phase.once = true;
    } else {
      return false;
    }
  }
  return true;
}

static void report(double elapsed) {
  printf("{\"name\": \"%s\", \"seconds\": %.6f, \"requests\": %llu, \"done\": %llu, "
         "\"octets\": %llu, \"new\": %llu, \"new_octets\": %llu, \"cachable\": %llu, \"hits\": %llu, \"hit_octets\": %llu, "
         "\"ideal_hits\": %llu, \"ideal_octets\": %llu, \"wrong\": %llu, \"errors\": %llu, "
         "\"reconnects\": %llu, \"not_modified\": %llu, \"aborted\": %llu, \"cut\": %llu, "
         "\"in_flight\": %d, \"mean\": %.0f",
         phase.name, elapsed, (unsigned long long)phase.issued, (unsigned long long)phase.done,
         (unsigned long long)phase.octets, (unsigned long long)phase.fresh,
         (unsigned long long)phase.fresh_octets, (unsigned long long)phase.cachable, (unsigned long long)phase.hits,
         (unsigned long long)phase.hit_octets, (unsigned long long)phase.ideal_hits,
         (unsigned long long)phase.ideal_octets, (unsigned long long)phase.wrong,
         (unsigned long long)phase.errors, (unsigned long long)phase.reconnects,
         (unsigned long long)phase.not_modified, (unsigned long long)phase.aborted,
         (unsigned long long)phase.cut, phase.most,
         phase.done > 0 ? (phase.micros[0] + phase.micros[1]) / (double)phase.done : 0);
  for (int hit = 0; hit < 2; hit++) {
    report_latency(hit ? "hit" : "miss", phase.latency[hit]);
  }
  for (enum kind kind = PLAIN; kind < KINDS; kind++) {
    report_latency(kind_names[kind], phase.by_kind[kind]);
  }
  printf(", \"lru\": [");
  for (int i = 0; i < lru_count; i++) {
    printf("%s{\"octets\": %llu, \"hits\": %llu, \"hit_octets\": %llu}", i ? ", " : "",
           (unsigned long long)lrus[i].limit, (unsigned long long)lrus[i].hits,
           (unsigned long long)lrus[i].hit_octets);
    lrus[i].hits = lrus[i].hit_octets = 0;
  }
  printf("]}\n");
  fflush(stdout);
}

int main(int count, char **words) {
  if (count < 4) {
    fprintf(stderr, "usage: polyload PORT CONNECTIONS SEED [LRU_OCTETS]...\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
  port = atoi(words[1]);
  connection_count = atoi(words[2]);
  seed = strtoull(words[3], NULL, 10);
  for (int i = 4; i < count && lru_count < 8; i++) {
    lrus[lru_count++] =
        (struct lru){.limit = strtoull(words[i], NULL, 10), .newest = NONE, .oldest = NONE};
  }
  for (uint32_t i = 0; i < WORLDS; i++) {
    worlds[i].random = scramble(seed * WORLDS + i);
  }
  connections = calloc((size_t)connection_count, sizeof *connections);
  idle = calloc((size_t)connection_count, sizeof *idle);
  for (int i = 0; i < connection_count; i++) {
    connections[i].fd = -1;
    idle[idle_count++] = &connections[connection_count - 1 - i];
  }
  poller = epoll_create1(EPOLL_CLOEXEC);
  char line[512];
  while (fgets(line, sizeof line, stdin) != NULL) {
    memset(&phase, 0, sizeof phase);
    unsigned long long window, limit, new_limit;
    int read = 0;
    if (sscanf(line, "%63s %u %llu %lf %llu %llu %lf %lf %lf%n", phase.name, &phase.world, &window,
               &phase.recurrence, &limit, &new_limit, &phase.seconds, &phase.rate, &phase.bias,
               &read) != 9 ||
        phase.world >= WORLDS || !read_keys(line + read) ||
        (window == 0 && worlds[phase.world].next == 0)) {
      fprintf(stderr, "polyload: not a phase: %s\n", line);
      return 2;
    }
    skip_to_cachable();
    phase.window = window;
    phase.limit = limit;
    phase.new_limit = new_limit;
    phase.started = now();
    if (port == 0) {
      run_dry();
    } else {
      run_phase();
    }
    report(now() - phase.started);
  }
  return 0;
}
