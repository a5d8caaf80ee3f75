/*
 * What client and origin have to agree on: an object of a set of URLs (a "world") is a function of
 * its number. Type, size and cachability follow Web Polygraph's PolyMix; each body is a function of
 * world, number, version and offset, so that every octet of it can be checked by computation.
 */
#ifndef POLYMIX_H
#define POLYMIX_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define GOLDEN 0x9e3779b97f4a7c15ull
#define MAX_BODY (16u << 20)
#define REQUEST_FIELD "X-Request" /* the number of a request; with CUT_MARK: end the answer early */
#define SERVED_FIELD "X-Served"   /* the same, of the request that an answer was made for */
#define CUT_MARK "c"
#define LAST_MODIFIED "Sat, 01 Jan 2022 00:00:00 GMT"
#define BEFORE_LAST_MODIFIED "Fri, 31 Dec 2021 23:59:59 GMT"
#define ETAG_FORMAT "\"%u-%llu-%u\"" /* world, number, version */

struct object {
  uint64_t key;
  uint32_t size;
  unsigned type;
  bool cachable;
};

struct content {
  const char *media_type;
  double share;    /* of all objects */
  double cachable; /* share of this type */
  double mean;     /* octets */
  double deviation; /* octets, 0: exponential, else log-normal */
};

static const struct content CONTENTS[] = {
    {"image/jpeg", 0.650, 0.80, 4.5 * 1024, 0},
    {"text/html", 0.150, 0.90, 8.5 * 1024, 0},
    {"application/x-download", 0.005, 0.95, 300.0 * 1024, 300.0 * 1024},
    {"application/octet-stream", 0.195, 0.72, 25.0 * 1024, 10.0 * 1024},
};
#define TYPES (sizeof CONTENTS / sizeof *CONTENTS)

static inline uint64_t scramble(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* The next of a sequence of numbers in [0, 1). */
static inline double next_uniform(uint64_t *state) {
  return (double)(scramble(*state += GOLDEN) >> 11) * 0x1p-53;
}

static inline struct object object_of(uint32_t world, uint64_t id, uint32_t version) {
  uint64_t state = scramble(id * GOLDEN + world);
  struct object object = {.type = TYPES - 1};
  double place = next_uniform(&state);
  for (unsigned type = 0; type < TYPES; type++) {
    if (place < CONTENTS[type].share) {
      object.type = type;
      break;
    }
    place -= CONTENTS[type].share;
  }
  const struct content *content = &CONTENTS[object.type];
  object.cachable = next_uniform(&state) < content->cachable;
  double size, first = 1 - next_uniform(&state), second = next_uniform(&state);
  if (content->deviation == 0) {
    size = -content->mean * log(first);
  } else {
    double relative = content->deviation / content->mean;
    double variance = log(1 + relative * relative);
    double normal = sqrt(-2 * log(first)) * cos(2 * M_PI * second);
    size = exp(log(content->mean) - variance / 2 + sqrt(variance) * normal);
  }
  object.size = size < 1 ? 1 : size > MAX_BODY ? MAX_BODY : (uint32_t)size;
  object.key = scramble(state + version);
  return object;
}

/* Eight octets of a body, little-endian on the machines this runs on. */
static inline uint64_t body_word(uint64_t key, uint64_t number) {
  uint64_t x = key + number * GOLDEN;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  return x ^ x >> 29;
}

static inline uint8_t body_octet(uint64_t key, uint64_t offset) {
  return (uint8_t)(body_word(key, offset / 8) >> offset % 8 * 8);
}

static inline void fill_body(uint64_t key, uint64_t offset, uint8_t *to, size_t length) {
  while (length > 0 && offset % 8 != 0) {
    *to++ = body_octet(key, offset++);
    length--;
  }
  for (; length >= 8; length -= 8, to += 8, offset += 8) {
    uint64_t word = body_word(key, offset / 8);
    memcpy(to, &word, 8);
  }
  while (length-- > 0) {
    *to++ = body_octet(key, offset++);
  }
}

static inline bool equals_body(uint64_t key, uint64_t offset, const uint8_t *got, size_t length) {
  uint64_t difference = 0;
  while (length > 0 && offset % 8 != 0) {
    difference |= (uint64_t)(*got++ ^ body_octet(key, offset++));
    length--;
  }
  for (; length >= 8; length -= 8, got += 8, offset += 8) {
    uint64_t word;
    memcpy(&word, got, 8);
    difference |= word ^ body_word(key, offset / 8);
  }
  while (length-- > 0) {
    difference |= (uint64_t)(*got++ ^ body_octet(key, offset++));
  }
  return difference == 0;
}

#endif
