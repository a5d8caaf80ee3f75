/*
 * Asks a proxy for objects of polymix.h in a sequence that is a function of the seed, verifies every
 * octet of the answers, and computes what an infinite cache would have done with the same sequence.
 *
 * Usage: polyload PORT CONNECTIONS SEED [LRU_OCTETS]...
 * Port 0 asks nobody: the sequence goes through LRU caches of the given sizes instead.
 *
 * Reads one phase per line from standard input,
 * "NAME WORLD WINDOW RECURRENCE COUNT NEW SECONDS RATE BIAS", and writes one line of JSON when it is
 * over: after COUNT requests, NEW new objects or SECONDS, whichever comes first, 0 meaning no limit.
 * RATE is the most requests begun in a second, 0 meaning as many as the connections carry. An object is
 * new, or, with probability RECURRENCE, one of the last WINDOW new ones of its world: uniform over them,
 * but one in ten such requests goes to every hundredth of them (PolyMix's hot set). With probability
 * BIAS the smallest cachable one of nine neighbours is asked for instead, of the hot set where it was
 * one of those, if what was drawn is cachable itself (PolyMix-4's bhr_discrimination). WINDOW 0: no new
 * objects, all that are there.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
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

struct world {
  uint64_t random;
  uint64_t next; /* number of the next new object */
};

struct connection {
  int fd; /* -1: none */
  bool busy, in_body, hit, cachable, answered_before, again;
  uint32_t world, size;
  uint64_t id, key, received, serial;
  double since;
  size_t head_length;
  char head[HEAD_ROOM];
};

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
  double started;
  uint64_t issued, fresh, fresh_octets, done, octets, hits, hit_octets;
  uint64_t ideal_hits, ideal_octets, cachable;
  uint64_t wrong, errors, reconnects;
  uint64_t latency[2][BUCKETS];
};

static struct world worlds[WORLDS];
static struct connection *connections;
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

static double percentile(const uint64_t *counts, double share) {
  uint64_t all = 0, below = 0;
  for (unsigned i = 0; i < BUCKETS; i++) {
    all += counts[i];
  }
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

static bool next_object(uint64_t *id) {
  struct world *world = &worlds[phase.world];
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

static bool finished(void) {
  return over || (phase.limit > 0 && phase.issued >= phase.limit) ||
         (phase.new_limit > 0 && phase.fresh >= phase.new_limit) ||
         (phase.seconds > 0 && now() - phase.started >= phase.seconds);
}

static void unlink_lru(struct lru *lru, uint32_t entry) {
  uint32_t newer = lru->newer[entry], older = lru->older[entry];
  *(newer == NONE ? &lru->newest : &lru->older[newer]) = older;
  *(older == NONE ? &lru->oldest : &lru->newer[older]) = newer;
}

static void reference_lru(struct lru *lru, uint64_t id, uint32_t size) {
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
    lru->hits++;
    lru->hit_octets += size;
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

/* The next request of the sequence, counted; its object is put into the arguments. */
static struct object next_request(uint64_t *id) {
  bool fresh = next_object(id);
  struct object object = object_of(phase.world, *id, 0);
  phase.issued++;
  phase.cachable += object.cachable;
  phase.fresh_octets += fresh && object.cachable ? object.size : 0;
  if (!fresh && object.cachable) {
    phase.ideal_hits++;
    phase.ideal_octets += object.size;
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
}

static bool call(struct connection *connection) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  struct timeval patience = {.tv_sec = 10};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    close(fd);
    return false;
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  connection->fd = fd;
  connection->answered_before = false;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  return true;
}

static void ask(struct connection *connection) {
  char request[512];
  connection->serial = ++serial;
  connection->in_body = false;
  connection->head_length = 0;
  connection->received = 0;
  int length = snprintf(
      request, sizeof request,
      "GET /w%u/t%u/_%08llu.0 HTTP/1.1\r\nHost: bench.example\r\nUser-Agent: polyload\r\n"
      "Accept: */*\r\nAccept-Language: en\r\n" REQUEST_FIELD ": %llu\r\n\r\n",
      connection->world, object_of(connection->world, connection->id, 0).type,
      (unsigned long long)connection->id, (unsigned long long)connection->serial);
  if (connection->fd < 0 && !call(connection)) {
    error_of(connection, "cannot connect");
    connection->busy = false;
    in_flight--;
    over = ++failed_connects >= FAILED_CONNECTS;
    return;
  }
  if (send(connection->fd, request, (size_t)length, MSG_NOSIGNAL) != length) {
    hang_up(connection);
    if (connection->again || !call(connection) ||
        send(connection->fd, request, (size_t)length, MSG_NOSIGNAL) != length) {
      error_of(connection, "cannot send");
      hang_up(connection);
      connection->busy = false;
      in_flight--;
      return;
    }
    connection->again = true;
    phase.reconnects++;
  }
}

static void next(struct connection *connection) {
  if (finished() ||
      (phase.rate > 0 && (double)phase.issued >= (now() - phase.started) * phase.rate)) {
    return;
  }
  struct object object = next_request(&connection->id);
  connection->world = phase.world;
  connection->size = object.size;
  connection->key = object.key;
  connection->cachable = object.cachable;
  connection->busy = true;
  connection->again = false;
  connection->since = now();
  in_flight++;
  ask(connection);
}

static void end(struct connection *connection, const char *problem) {
  connection->busy = false;
  in_flight--;
  if (problem != NULL) {
    error_of(connection, problem);
    hang_up(connection);
    return;
  }
  double micros = (now() - connection->since) * 1e6;
  phase.latency[connection->hit][bucket_of((uint64_t)micros)]++;
  phase.done++;
  phase.octets += connection->size;
  if (connection->hit) {
    phase.hits++;
    phase.hit_octets += connection->size;
  }
  connection->answered_before = true;
}

/* Returns what is wrong with the head, NULL where nothing is. */
static const char *read_head(struct connection *connection) {
  const char *head = connection->head;
  if (strncmp(head, "HTTP/1.1 200 ", 13) != 0) {
    return head;
  }
  const char *length = strcasestr(head, "\r\nContent-Length:");
  if (length == NULL) {
    return "no Content-Length";
  }
  if (strtoull(length + 17, NULL, 10) != connection->size) {
    phase.wrong++;
    return "wrong Content-Length";
  }
  const char *served = strcasestr(head, "\r\n" SERVED_FIELD ":");
  if (served == NULL) {
    return "no " SERVED_FIELD;
  }
  connection->hit =
      strtoull(served + sizeof "\r\n" SERVED_FIELD, NULL, 10) != connection->serial;
  if (connection->hit && !connection->cachable) {
    phase.wrong++;
    return "served from a cache what must not be stored";
  }
  return NULL;
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
    if (problem != NULL) {
      end(connection, problem);
      return;
    }
    size_t used = (size_t)(close + 4 - to);
    data += used;
    length -= used;
    connection->in_body = true;
  }
  if (length > connection->size - connection->received) {
    phase.wrong++;
    end(connection, "more octets than promised");
    return;
  }
  if (!equals_body(connection->key, connection->received, data, length)) {
    phase.wrong++;
    end(connection, "wrong body");
    return;
  }
  connection->received += length;
  if (connection->received == connection->size) {
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
  } else {
    end(connection, "connection closed too early");
  }
}

static void give_up_the_late(void) {
  for (int i = 0; i < connection_count; i++) {
    if (connections[i].busy && now() - connections[i].since > ANSWER_SECONDS) {
      end(&connections[i], "no answer in time");
    }
  }
}

static void run_phase(void) {
  static uint8_t buffer[RECEIVE_ROOM];
  struct epoll_event events[256];
  double checked = now();
  over = false;
  failed_connects = 0;
  do {
    for (int i = 0; i < connection_count && !finished(); i++) {
      if (!connections[i].busy) {
        next(&connections[i]);
      }
    }
    int ready = epoll_wait(poller, events, 256, phase.rate > 0 ? 1 : 200);
    for (int i = 0; i < ready; i++) {
      struct connection *connection = events[i].data.ptr;
      if (connection->fd < 0) {
        continue;
      }
      ssize_t got = recv(connection->fd, buffer, sizeof buffer, 0);
      if (got > 0) {
        arrived(connection, buffer, (size_t)got);
      } else if (got == 0 || errno != EAGAIN) {
        gone(connection);
      }
      if (!connection->busy) {
        next(connection);
      }
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
    struct object object = next_request(&id);
    phase.done++;
    phase.octets += object.size;
    for (int i = 0; i < lru_count && object.cachable; i++) {
      reference_lru(&lrus[i], id, object.size);
    }
  }
}

static void report(double elapsed) {
  printf("{\"name\": \"%s\", \"seconds\": %.6f, \"requests\": %llu, \"done\": %llu, "
         "\"octets\": %llu, \"new\": %llu, \"new_octets\": %llu, \"cachable\": %llu, \"hits\": %llu, \"hit_octets\": %llu, "
         "\"ideal_hits\": %llu, \"ideal_octets\": %llu, \"wrong\": %llu, \"errors\": %llu, "
         "\"reconnects\": %llu",
         phase.name, elapsed, (unsigned long long)phase.issued, (unsigned long long)phase.done,
         (unsigned long long)phase.octets, (unsigned long long)phase.fresh,
         (unsigned long long)phase.fresh_octets, (unsigned long long)phase.cachable, (unsigned long long)phase.hits,
         (unsigned long long)phase.hit_octets, (unsigned long long)phase.ideal_hits,
         (unsigned long long)phase.ideal_octets, (unsigned long long)phase.wrong,
         (unsigned long long)phase.errors, (unsigned long long)phase.reconnects);
  for (int hit = 0; hit < 2; hit++) {
    const char *name = hit ? "hit" : "miss";
    printf(", \"%s_p50\": %.0f, \"%s_p99\": %.0f, \"%s_max\": %.0f", name,
           percentile(phase.latency[hit], 0.5), name, percentile(phase.latency[hit], 0.99), name,
           percentile(phase.latency[hit], 1));
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
  for (int i = 0; i < connection_count; i++) {
    connections[i].fd = -1;
  }
  poller = epoll_create1(EPOLL_CLOEXEC);
  char line[256];
  while (fgets(line, sizeof line, stdin) != NULL) {
    memset(&phase, 0, sizeof phase);
    unsigned long long window, limit, new_limit;
    if (sscanf(line, "%63s %u %llu %lf %llu %llu %lf %lf %lf", phase.name, &phase.world, &window,
               &phase.recurrence, &limit, &new_limit, &phase.seconds, &phase.rate,
               &phase.bias) != 9 ||
        phase.world >= WORLDS || (window == 0 && worlds[phase.world].next == 0)) {
      fprintf(stderr, "polyload: not a phase: %s", line);
      return 2;
    }
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
