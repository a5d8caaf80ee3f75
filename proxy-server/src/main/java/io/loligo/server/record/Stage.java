package io.loligo.server.record;

/** Stages of an exchange whose time is recorded. */
public enum Stage {
  /** Accept, or first byte on a kept connection, to a complete head. */
  CLIENT_CONNECT,
  ACL,
  /** The check of a password. */
  LOGIN,
  LOOKUP,
  DISK_QUEUE,
  DISK_FIRST_READ,
  DISK_REST,
  /** The answers of helpers. */
  HELPER,
  /** Peer choice and name resolution. */
  DNS,
  PROXY_CONNECT,
  SERVER_FIRST_BYTE,
  SERVER_LAST_BYTE,
  /** First byte of the response given to the client's connection to its last one written. */
  PROXY_REPLY,
  /** Head parsed to last byte written: the total. */
  TOTAL
}
