package io.loligo.server.manager;

import io.loligo.server.history.HistorySources;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Stage;
import java.util.Arrays;
import java.util.List;

/** The kinds of service time that Squid distinguishes. Immutable. */
enum ServiceTime {
  ALL("HTTP Requests (All)", "client_http.all", "client_http.allSvcTime", HitClass.values()),
  MISSES(
      "Cache Misses",
      "client_http.miss",
      "client_http.missSvcTime",
      HitClass.MISS,
      HitClass.UNCACHEABLE),
  HITS(
      "Cache Hits",
      "client_http.hit",
      "client_http.hitSvcTime",
      HitClass.MEMORY_HIT,
      HitClass.DISK_HIT,
      HitClass.NEGATIVE_HIT,
      HitClass.STALE_HIT),
  NEAR_HITS("Near Hits", "client_http.nh", "client_http.nearHitSvcTime", HitClass.REVALIDATED),
  NOT_MODIFIED(
      "Not-Modified Replies",
      "client_http.nm",
      "client_http.nmSvcTime",
      HitClass.NOT_MODIFIED_HIT,
      HitClass.IMS_HIT),
  DNS("DNS Lookups", "dns", "dns.svc_time");

  private final String title;
  private final String median;
  private final String histogram;

  @SuppressWarnings("ImmutableEnumChecker") // List.of: cannot be modified
  private final List<HitClass> classes;

  ServiceTime(String title, String median, String histogram, HitClass... classes) {
    this.title = title;
    this.median = median + (median.equals("dns") ? ".median_svc_time" : "_median_svc_time");
    this.histogram = histogram;
    this.classes = List.of(classes);
  }

  /** Its name in the pages {@code service_times} and {@code info}. */
  String title() {
    return title;
  }

  /** The name of its median in the pages of averages. */
  String median() {
    return median;
  }

  /** Its name in the page {@code histograms}. */
  String histogram() {
    return histogram;
  }

  /** Its stage. */
  Stage stage() {
    return this == DNS ? Stage.DNS : Stage.TOTAL;
  }

  /** The classes of exchanges that it covers. */
  List<HitClass> classes() {
    return this == DNS ? Arrays.asList(HitClass.values()) : classes;
  }

  /** The names of its series in the history. */
  List<String> series() {
    return this == DNS
        ? List.of(HistorySources.name(Stage.DNS))
        : classes.stream().map(HistorySources::name).toList();
  }
}
