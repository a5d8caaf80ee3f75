package io.loligo.server.cli;

import io.loligo.server.json.JsonValue;
import io.loligo.server.json.JsonWriter;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo stats}: the most important numbers of the running proxy. */
@Command(
    name = "stats",
    description =
        "Shows the most important numbers of the running proxy: requests, hit ratios, bytes, times"
            + " by class of response, memory and disks. Counts are those since its start; times are"
            + " those of the last minute.",
    exitCodeList = {
      "0:shown",
      "1:the proxy refuses or fails",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer = {"  loligo stats -f /etc/loligo/loligo.conf", "  loligo stats --json | jq .hitRatio"})
final class Statistics implements Callable<Integer> {
  /** Gauges with their names in JSON and in the text. */
  private static final List<List<String>> CONNECTIONS =
      List.of(
          List.of("client_connections", "clientConnections", "from clients"),
          List.of("server_connections", "serverConnections", "to origins"),
          List.of("tunnels", "tunnels", "tunnels"));

  private static final List<String> TIMES = List.of("p50", "p95", "p99");

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

  @Option(names = "--json", description = "as JSON")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    Figures figures = new Figures(JsonValue.parse(proxy.get("/state")));
    PrintWriter out = spec.commandLine().getOut();
    out.print(json ? json(figures) + "\n" : text(figures));
    out.flush();
    return 0;
  }

  private static String text(Figures figures) {
    JsonValue state = figures.state();
    StringBuilder text = new StringBuilder();
    text.append("Loligo ").append(state.get("version").text());
    text.append(", up ").append(UnitText.duration(state.get("upSeconds").whole()));
    text.append(
        state.get("ready").isTrue() ? ", ready" : ", not ready: " + state.get("reason").text());
    text.append("\n\n");
    row(text, "requests", figures.requests() + ", hits " + UnitText.percent(figures.hitRatio()));
    row(
        text,
        "bytes",
        UnitText.bytes((double) figures.counter("client_sent_bytes"))
            + " to clients, hits "
            + UnitText.percent(figures.byteHitRatio())
            + "; "
            + UnitText.bytes((double) figures.counter("server_received_bytes"))
            + " from origins");
    StringBuilder open = new StringBuilder();
    for (List<String> one : CONNECTIONS) {
      open.append(open.isEmpty() ? "" : ", ").append(figures.gauge(one.get(0)));
      open.append(' ').append(one.get(2));
    }
    row(text, "connections", open.toString());
    classes(text, figures);
    text.append(String.format(Locale.ROOT, "%n%-18s %10s %10s%n", "memory", "used", "limit"));
    for (JsonValue owner : state.get("memory").values()) {
      long limit = owner.get("limitBytes").whole();
      text.append(
          String.format(
              Locale.ROOT,
              "%-18s %10s %10s%n",
              owner.get("owner").text(),
              UnitText.bytes(owner.get("usedBytes").number()),
              limit < 0 ? "" : UnitText.bytes((double) limit)));
    }
    for (JsonValue disk : state.get("disks").values()) {
      text.append("\ndisk ").append(disk.get("path").text()).append(": ");
      text.append(disk.get("state").text()).append(", ");
      text.append(UnitText.bytes(disk.get("used_bytes").number())).append(" of ");
      text.append(UnitText.bytes(disk.get("capacity_bytes").number())).append(", ");
      text.append(disk.get("objects").whole()).append(" responses, ");
      text.append(disk.get("hits").whole()).append(" hits\n");
    }
    return text.toString();
  }

  private static void row(StringBuilder text, String name, String value) {
    text.append(String.format(Locale.ROOT, "%-12s %s%n", name, value));
  }

  private static void classes(StringBuilder text, Figures figures) {
    Map<String, Long> counts = figures.requestsByClass();
    if (counts.isEmpty()) {
      return;
    }
    text.append(
        String.format(
            Locale.ROOT,
            "%n%-18s %10s %10s %10s %10s%n",
            "class",
            "requests",
            "p50",
            "p95",
            "p99"));
    counts.forEach(
        (name, count) -> {
          JsonValue one = figures.state().get("classes").get(name);
          boolean recent = one.get("count").whole() > 0;
          text.append(String.format(Locale.ROOT, "%-18s %10d", name, count));
          for (String time : TIMES) {
            text.append(
                String.format(
                    Locale.ROOT, " %10s", recent ? UnitText.time(one.get(time).number()) : "-"));
          }
          text.append('\n');
        });
  }

  private static JsonWriter json(Figures figures) {
    JsonWriter json = JsonWriter.compact().beginObject();
    members(json, figures);
    return json.endObject();
  }

  /** Adds the numbers of {@code figures} to the object that {@code json} has begun. */
  static void members(JsonWriter json, Figures figures) {
    JsonValue state = figures.state();
    json.member("version", state.get("version").text());
    json.member("upSeconds", state.get("upSeconds").whole());
    json.member("ready", state.get("ready").isTrue());
    json.member("requests", figures.requests()).member("hits", figures.hits());
    json.name("hitRatio").value(figures.hitRatio());
    json.name("byteHitRatio").value(figures.byteHitRatio());
    json.member("clientSentBytes", figures.counter("client_sent_bytes"));
    json.member("clientReceivedBytes", figures.counter("client_received_bytes"));
    json.member("serverReceivedBytes", figures.counter("server_received_bytes"));
    for (List<String> one : CONNECTIONS) {
      json.member(one.get(1), figures.gauge(one.get(0)));
    }
    json.member("windowSeconds", state.get("windowSeconds").whole());
    json.name("classes").beginObject();
    figures
        .requestsByClass()
        .forEach(
            (name, count) -> {
              JsonValue one = state.get("classes").get(name);
              json.name(name).beginObject().member("requests", count);
              TIMES.forEach(time -> json.name(time + "Micros").value(one.get(time).number()));
              json.endObject();
            });
    json.endObject().name("memory").beginArray();
    for (JsonValue owner : state.get("memory").values()) {
      json.beginObject().member("owner", owner.get("owner").text());
      json.member("usedBytes", owner.get("usedBytes").whole());
      json.member("limitBytes", owner.get("limitBytes").whole()).endObject();
    }
    json.endArray().name("disks").beginArray();
    for (JsonValue disk : state.get("disks").values()) {
      json.beginObject().member("path", disk.get("path").text());
      json.member("state", disk.get("state").text());
      json.member("usedBytes", disk.get("used_bytes").whole());
      json.member("capacityBytes", disk.get("capacity_bytes").whole());
      json.member("responses", disk.get("objects").whole());
      json.member("hits", disk.get("hits").whole()).endObject();
    }
    json.endArray();
  }
}
