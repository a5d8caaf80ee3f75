package io.loligo.server.cli;

import io.loligo.server.json.JsonValue;
import io.loligo.server.json.JsonWriter;

/** The view of {@code loligo top} for programs. Stateless. */
final class TopJson {
  private static final double MICROS_IN_SECOND = 1e6;

  private TopJson() {}

  /** One object: the numbers of {@code loligo stats}, the rates, and the rows of the traffic. */
  static String of(TopSource source) {
    Figures now = source.now();
    JsonWriter json = JsonWriter.compact().beginObject();
    Statistics.members(json, now);
    json.name("perSecond").beginObject();
    rate(json, "requests", source.rate(Figures::requests));
    rate(json, "hits", source.rate(Figures::hits));
    rate(json, "clientSentBytes", source.rate(f -> f.counter("client_sent_bytes")));
    rate(json, "clientHitSentBytes", source.rate(f -> f.counter("client_hit_sent_bytes")));
    rate(json, "serverReceivedBytes", source.rate(f -> f.counter("server_received_bytes")));
    json.endObject();
    JsonValue traffic = source.traffic();
    rows(json, "origin", traffic.get("origins"));
    rows(json, "client", traffic.get("clients"));
    slowest(json, traffic.get("slowest"));
    return json.endObject().toString();
  }

  private static void rate(JsonWriter json, String name, double perSecond) {
    json.name(name).value(perSecond);
  }

  private static void rows(JsonWriter json, String name, JsonValue rows) {
    json.name(name + "s").beginArray();
    for (JsonValue row : rows.values()) {
      json.beginObject().member(name, row.get(name).text());
      for (TopView.Order number : TopView.Order.values()) {
        json.member(number.member(), row.get(number.member()).whole());
      }
      json.member("hits", row.get("hits").whole()).endObject();
    }
    json.endArray();
  }

  private static void slowest(JsonWriter json, JsonValue rows) {
    json.name("slowest").beginArray();
    for (JsonValue row : rows.values()) {
      json.beginObject();
      json.member("micros", Math.round(row.get("seconds").number() * MICROS_IN_SECOND));
      json.member("class", row.get("class").text()).member("status", row.get("status").whole());
      json.member("method", row.get("method").text()).member("url", row.get("url").text());
      json.endObject();
    }
    json.endArray();
  }
}
