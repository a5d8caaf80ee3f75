package io.loligo.server.report;

/** A distribution that each group of time has. Durations are in microseconds. */
enum Measure {
  RESPONSE_HIT,
  RESPONSE_MISS,
  BYTES_HIT,
  BYTES_MISS,
  BYTES_IN,
  BYTES_OUT,
  CLIENT_HIT,
  CLIENT_MISS,
  /** Of hits answered 200. */
  CLIENT_200,
  CONNECT_HIT,
  CONNECT_MISS,
  /** The server's reply: request sent to last byte. */
  SERVER_HIT,
  SERVER_MISS,
  /** Connect and reply. */
  BOTH_HIT,
  BOTH_MISS,
  REPLY_HIT,
  REPLY_MISS,
  REPLY_200,
  REPLY_304,
  DISK_IN,
  DISK_OUT,
  /** Disk time of files of one block and of two blocks. */
  ONE_BLOCK_IN,
  ONE_BLOCK_OUT,
  TWO_BLOCKS_IN,
  TWO_BLOCKS_OUT,
  /** The rest after the first read, of files of two blocks. */
  SECOND_IN,
  /** The second block of files of two blocks. */
  SECOND_OUT,
  /** Numbers of active requests in samples. */
  ACTIVE_ALL,
  ACTIVE_HIT,
  ACTIVE_MISS,
  OUTGOING_HIT,
  OUTGOING_MISS,
  SWAPPING_ALL,
  SWAPPING_IN,
  SWAPPING_OUT
}
