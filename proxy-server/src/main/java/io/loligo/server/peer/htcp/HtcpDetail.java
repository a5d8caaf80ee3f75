package io.loligo.server.peer.htcp;

/**
 * The fields that a reply to TST tells of the stored response (RFC 2756 section 3.3). Each text has
 * lines with their ends. Immutable.
 *
 * @param response such as Age
 * @param entity Expires and Last-Modified, as stored
 */
public record HtcpDetail(String response, String entity) {
  /** The detail of a response that is not stored, as Squid sends it. */
  static final HtcpDetail NONE = new HtcpDetail("", "");

  /** Its bytes. The cache headers are empty: no distance to origins is measured. */
  byte[] bytes() {
    return HtcpSpecifier.counted(0, response, entity, "");
  }
}
