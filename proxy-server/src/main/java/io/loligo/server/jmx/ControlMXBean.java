package io.loligo.server.jmx;

import org.jspecify.annotations.Nullable;

/** Operations on the running proxy. */
@Description("Operations on the running proxy.")
public interface ControlMXBean {
  @Description("Whether the proxy is ready for new requests.")
  boolean isReady();

  @Description("Why the proxy is not ready; empty while it is ready.")
  String getNotReadyReason();

  @Description(
      "Purges the stored responses of a URL; returns their number once the disk has confirmed it.")
  @Units("responses")
  int purge(@Description("The effective URI, as in the access log, with its query.") String url);

  @Description(
      "Shows the stored responses for a URL, the decision for a request now with its reason, and"
          + " the last decisions; changes nothing.")
  @Reads
  String explain(
      @Description("The effective URI.") String url,
      @Description("Request field lines, Name: value, separated by line ends; may be empty.")
          @Nullable String fieldLines);

  @Description("The same for a request of any method, client, port and content.")
  @Reads
  String explain(
      @Description("The effective URI.") String url,
      @Description("Method; empty: GET.") @Nullable String method,
      @Description("Request field lines, Name: value, separated by line ends; may be empty.")
          @Nullable String fieldLines,
      @Description("Address of the client; empty: 127.0.0.1.") @Nullable String client,
      @Description("The name= of the port; empty: the first http_port of a forward proxy.")
          @Nullable String port,
      @Description("Content, which matters for QUERY only; may be empty.")
          @Nullable String content);

  @Description(
      "Changes the memory for stored responses, until the next reload or restart puts cache_mem in"
          + " force again. A lower size evicts in the background. Returns a report; fails if the"
          + " memory does not allow the size, and names the largest one.")
  String resizeCacheMemory(
      @Description("Size in bytes, not less than 0.") @Units("bytes") long bytes);

  @Description("Makes the stored responses of a URL stale; returns their number by tier.")
  String softPurge(
      @Description("The effective URI, as in the access log, with its query.") String url);

  @Description(
      "Purges the stored responses with any of the surrogate keys; returns their number by tier.")
  String purgeKeys(
      @Description("Keys, separated by blanks.") String keys,
      @Description("Make them stale instead.") boolean soft);

  @Description(
      "Purges the stored responses in any of the cache groups; returns their number by tier.")
  String purgeGroups(
      @Description("A URL of the origin.") String origin,
      @Description("Groups as in Cache-Groups: quoted, separated by commas.") String groups,
      @Description("Make them stale instead.") boolean soft);

  @Description("Purges the stored responses of matching URLs; returns their number by tier.")
  String purgePattern(
      @Description("Host, or the empty string for any host.") String host,
      @Description("POSIX extended expression.") String regex);

  @Description("Makes the stored responses of matching URLs stale; returns their number by tier.")
  String softPurgePattern(
      @Description("Host, or the empty string for any host.") String host,
      @Description("POSIX extended expression.") String regex);

  @Description(
      "Reads the configuration file again and applies it whole or not at all; returns the report.")
  String reload();

  @Description("Numbers the old log files and starts new ones.")
  void rotateLogs();

  @Description("Accepts no new connections, lets running exchanges end, then ends the process.")
  void drain();
}
