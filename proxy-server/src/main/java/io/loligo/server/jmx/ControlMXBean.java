package io.loligo.server.jmx;

/** Operations on the running proxy. */
@Description("Operations on the running proxy.")
public interface ControlMXBean {
  @Description("Whether new requests are welcome.")
  boolean isReady();

  @Description("Why new requests are not welcome; empty while they are.")
  String getNotReadyReason();

  @Description(
      "Drops what is stored under a URL; returns how many responses, when the disk confirmed it.")
  int purge(
      @Description("The effective URI, as the access log shows it with its query.") String url);

  @Description(
      "Explains what is stored for a URL, what a request would get now and why, and what the last"
          + " ones got; changes nothing.")
  String explain(
      @Description("The effective URI.") String url,
      @Description("Request field lines, Name: value, separated by line ends; may be empty.")
          String fieldLines);

  @Description("Makes what is stored under a URL stale; returns how many responses, by tier.")
  String softPurge(
      @Description("The effective URI, as the access log shows it with its query.") String url);

  @Description("Drops what has one of some surrogate keys; returns how many responses, by tier.")
  String purgeKeys(
      @Description("Keys with blanks between.") String keys,
      @Description("Make it stale instead.") boolean soft);

  @Description("Drops what is in one of some cache groups; returns how many responses, by tier.")
  String purgeGroups(
      @Description("A URL of the origin.") String origin,
      @Description("Groups as in Cache-Groups: in quotes, with commas between.") String groups,
      @Description("Make it stale instead.") boolean soft);

  @Description("Drops what is stored under matching URLs; returns how many responses, by tier.")
  String purgePattern(
      @Description("Host, or the empty string: any.") String host,
      @Description("POSIX extended expression.") String regex);

  @Description(
      "Reads the configuration file anew and puts it in force, whole or not at all; returns what"
          + " there is to say about it.")
  String reload();

  @Description("Keeps the old log files by number and starts new ones.")
  void rotateLogs();

  @Description("Lets running exchanges end, takes no new connections, then ends the process.")
  void drain();
}
