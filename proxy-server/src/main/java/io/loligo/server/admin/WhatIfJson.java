package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import io.loligo.server.whatif.HitRatio;
import io.loligo.server.whatif.SizeForecast;
import io.loligo.server.whatif.SizeForecast.Point;
import io.loligo.server.whatif.SizeForecast.Tier;
import org.jspecify.annotations.Nullable;

/** The hit ratios of other sizes of the cache as JSON. Stateless. */
public final class WhatIfJson {
  private WhatIfJson() {}

  /** An object with a member for each tier. */
  public static String of(SizeForecast forecast) {
    JsonWriter json = JsonWriter.spaced().beginObject();
    json.row().member("samplingSince", forecast.since().toString());
    json.member("sampledRequests", forecast.sampledRequests());
    tier(json.row(), "memory", forecast.memory());
    tier(json.row(), "disk", forecast.disk());
    return json.endRows().endObject() + "\n";
  }

  private static void tier(JsonWriter json, String name, @Nullable Tier tier) {
    json.name(name);
    if (tier == null) {
      json.value(null);
      return;
    }
    json.beginObject().member("text", tier.text());
    point(json, tier.today());
    HitRatio measured = tier.measured();
    json.name("measuredHitRatio").value(measured.requests());
    json.name("measuredByteHitRatio").value(measured.bytes());
    gain(json, "halved", tier, tier.halved());
    gain(json, "doubled", tier, tier.doubled());
    json.name("curve").beginArray();
    for (Point point : tier.curve()) {
      point(json.beginObject(), point);
      json.endObject();
    }
    json.endArray().endObject();
  }

  private static void point(JsonWriter json, Point point) {
    json.member("sizeBytes", point.sizeBytes());
    json.name("hitRatio").value(point.ratio().requests());
    json.name("byteHitRatio").value(point.ratio().bytes());
  }

  private static void gain(JsonWriter json, String name, Tier tier, Point point) {
    json.name(name).beginObject().member("sizeBytes", point.sizeBytes());
    json.name("hitRatioPoints").value(tier.points(point));
    json.name("byteHitRatioPoints").value(tier.bytePoints(point)).endObject();
  }
}
