package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import io.loligo.server.metrics.CertificateExpiry;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Stage;
import io.loligo.server.traffic.SlowRequest;
import io.loligo.server.traffic.Traffic;
import io.loligo.server.traffic.Traffic.Misses;
import io.loligo.server.traffic.Traffic.Ranking;
import io.loligo.server.traffic.Traffic.Sums;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The traffic of the last minutes as JSON. Confined to one thread. */
public final class TrafficJson {
  private final JsonWriter json = JsonWriter.compact().beginObject();

  private TrafficJson() {}

  /**
   * An object.
   *
   * @param metrics give the numbers since the start
   */
  public static String of(
      Traffic traffic, ProxyMetrics metrics, List<CertificateExpiry> certificates) {
    TrafficJson page = new TrafficJson();
    page.json.member("since", Instant.ofEpochMilli(traffic.sinceMillis()).toString());
    page.json.member("until", Instant.ofEpochMilli(traffic.untilMillis()).toString());
    page.ranking("origins", "origin", traffic.origins(), "otherOrigins");
    page.ranking("clients", "client", traffic.clients(), "otherClients");
    page.ranking("users", "user", traffic.users(), "otherUsers");
    page.slowest(traffic.slowest());
    page.misses(traffic.misses());
    page.json.name("tls").beginObject();
    page.versions("client", traffic.clientTls());
    page.versions("server", traffic.serverTls());
    page.json.endObject();
    page.sinceStart(metrics);
    page.certificates(certificates);
    return page.json.endObject().toString();
  }

  private void ranking(String name, String rowName, Ranking ranking, String othersName) {
    json.name(name).beginArray();
    for (Sums row : ranking.rows()) {
      json.beginObject().member(rowName, row.name());
      sums(row);
      json.endObject();
    }
    json.endArray().name(othersName).beginObject();
    sums(ranking.others());
    json.endObject();
  }

  private void sums(Sums sums) {
    json.member("requests", sums.requests())
        .member("hits", sums.hits())
        .member("misses", sums.misses())
        .member("errors", sums.errors())
        .member("bytes", sums.bytes());
    seconds(sums.nanos());
  }

  private void seconds(long nanos) {
    json.name("seconds").seconds(nanos);
  }

  private void slowest(List<SlowRequest> slowest) {
    json.name("slowest").beginArray();
    for (SlowRequest one : slowest) {
      json.beginObject()
          .member("time", Instant.ofEpochMilli(one.endMillis()).toString())
          .member("client", one.client())
          .member("user", one.user())
          .member("method", one.method())
          .member("url", one.url())
          .member("status", one.status())
          .member("class", one.hitClass().name().toLowerCase(Locale.ROOT))
          .member("protocol", one.protocol().text());
      seconds(one.nanos());
      json.member("decision", one.reason() == null ? null : one.reason().detail());
      json.member("requestId", one.requestId());
      json.name("stages").beginArray();
      for (Map.Entry<Stage, Long> stage : one.stages().entrySet()) {
        json.beginObject().member("stage", stage.getKey().text());
        seconds(stage.getValue());
        json.endObject();
      }
      json.endArray().endObject();
    }
    json.endArray();
  }

  private void misses(List<Misses> misses) {
    json.name("misses").beginArray();
    for (Misses one : misses) {
      json.beginObject()
          .member("cause", one.cause().detail())
          .member("requests", one.requests())
          .member("bytes", one.bytes())
          .endObject();
    }
    json.endArray();
  }

  private void versions(String name, Map<String, Long> versions) {
    json.name(name).beginArray();
    versions.forEach(
        (version, requests) ->
            json.beginObject()
                .member("version", version)
                .member("requests", (long) requests)
                .endObject());
    json.endArray();
  }

  private void sinceStart(ProxyMetrics metrics) {
    json.name("sinceStart")
        .beginObject()
        .member("tunnels", metrics.value(CounterFamily.CLASS, HitClass.TUNNEL.ordinal()));
    family("inspectedTunnels", metrics, CounterFamily.TUNNEL);
    json.member("tlsHandshakes", metrics.value(Counter.TLS_HANDSHAKES))
        .member("refusedHostCertificates", metrics.value(Counter.HOST_CERTIFICATES_REFUSED));
    family("clientTlsFailures", metrics, CounterFamily.TLS_FAILURE);
    family("serverTlsFaults", metrics, CounterFamily.SERVER_TLS_FAULT);
    family("toleratedCertificates", metrics, CounterFamily.TOLERATED_CERTIFICATE);
    json.endObject();
  }

  /** The counters that are not zero. */
  private void family(String name, ProxyMetrics metrics, CounterFamily family) {
    json.name(name).beginArray();
    List<String> labels = family.labelValues();
    for (int i = 0; i < labels.size(); i++) {
      long count = metrics.value(family, i);
      if (count > 0) {
        json.beginObject().member(family.label(), labels.get(i)).member("count", count).endObject();
      }
    }
    json.endArray();
  }

  private void certificates(List<CertificateExpiry> certificates) {
    json.name("certificates").beginArray();
    certificates.stream()
        .sorted(Comparator.comparingLong(CertificateExpiry::seconds))
        .forEach(
            one ->
                json.beginObject()
                    .member("port", one.port())
                    .member("file", one.file())
                    .member("name", one.name())
                    .member("expiresInSeconds", one.seconds())
                    .endObject());
    json.endArray();
  }
}
