package io.loligo.core.config;

/** When a list of rules is evaluated, which decides what its ACLs may ask about. */
public enum RuleScope {
  /** Before anything else: {@code http_access}. An ACL about the response stops the start. */
  ADMISSION,
  /** Before there is a response. An ACL about the response never matches, with a warning. */
  REQUEST,
  /** Once the head of a response is there. */
  RESPONSE,
  /** When the exchange is over: {@code access_log}. */
  LOG;

  boolean hasResponse() {
    return this == RESPONSE || this == LOG;
  }
}
