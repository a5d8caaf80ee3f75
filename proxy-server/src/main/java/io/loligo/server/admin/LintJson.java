package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import io.loligo.server.origins.OriginReport;
import io.loligo.server.origins.OriginReport.Cost;
import java.time.Instant;
import java.util.List;

/** Findings about origins as JSON. Stateless. */
public final class LintJson {
  private LintJson() {}

  /** An object. */
  public static String of(OriginReport report) {
    JsonWriter json = JsonWriter.compact().beginObject();
    json.member("since", Instant.ofEpochMilli(report.sinceMillis()).toString());
    json.member("until", Instant.ofEpochMilli(report.untilMillis()).toString());
    json.name("origins").beginArray();
    for (OriginReport.Origin origin : report.origins()) {
      json.beginObject().member("origin", origin.name()).name("findings");
      write(origin.findings(), json);
      json.endObject();
    }
    json.endArray().name("otherFindings");
    write(report.others(), json);
    return json.endObject().toString();
  }

  private static void write(List<Cost> findings, JsonWriter json) {
    json.beginArray();
    for (Cost one : findings) {
      json.beginObject()
          .member("cause", one.finding().cause())
          .member("requests", one.requests())
          .member("bytes", one.bytes())
          .member("field", one.finding().field())
          .member("text", one.finding().text())
          .endObject();
    }
    json.endArray();
  }
}
