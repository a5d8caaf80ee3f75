package io.loligo.server.origins;

/** A behaviour of an origin that prevents storing, or makes fetches that could be spared. */
public enum OriginFault {
  NO_VALIDATOR(
      "no validator",
      "ETag",
      "The responses have neither ETag nor Last-Modified: each one that has expired is fetched"
          + " whole again."),
  PUBLIC_COOKIE(
      "Set-Cookie beside public",
      "Cache-Control: private",
      "The responses are public and set a cookie: the cookie of one client would reach others, so"
          + " caches strip it or do not store. Send cookies with private responses only."),
  VARIES_TOO_MUCH(
      "Vary: * or User-Agent",
      "Vary: Accept-Encoding",
      "Vary names * or User-Agent: no stored response, or hardly one, fits another request. Name"
          + " the fields that choose the response."),
  CLOCK_SKEW(
      "clock skew",
      "Date",
      "Date and Age differ from the clock of the proxy by more than 60 seconds: responses expire"
          + " too early or too late. Set the clock of the origin by NTP."),
  QUERY_ORDER(
      "query order",
      "No-Vary-Search: key-order",
      "The same path was fetched with the same query parameters in another order: each order is"
          + " stored apart."),
  REPEATED_200(
      "200 where 304 would do",
      "If-None-Match",
      "The origin answers a validation with the whole response, although its validators are equal:"
          + " answer If-None-Match and If-Modified-Since with 304."),
  NO_STALE_WHILE_REVALIDATE(
      "no stale-while-revalidate",
      "Cache-Control: stale-while-revalidate=60",
      "Clients wait for validations of expired responses: the proxy may send the stored response at"
          + " once and validate it in the background, if the origin allows it.");

  private final String cause;
  private final String field;
  private final String text;

  OriginFault(String cause, String field, String text) {
    this.cause = cause;
    this.field = field;
    this.text = text;
  }

  /** Its name for the operator. */
  public String cause() {
    return cause;
  }

  /** The field that would change it. */
  public String field() {
    return field;
  }

  /** The explanation for the operator. */
  public String text() {
    return text;
  }

  int bit() {
    return 1 << ordinal();
  }
}
