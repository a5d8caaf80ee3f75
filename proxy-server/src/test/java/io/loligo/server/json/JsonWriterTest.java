package io.loligo.server.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class JsonWriterTest {
  @Test
  void separatesMembersAndValues() {
    JsonWriter json = JsonWriter.spaced().beginObject().member("a", 1).member("b", true);
    json.name("c").beginArray().value("x").value((String) null).value(-2).beginObject();
    json.endObject().beginArray().endArray().endArray().member("d", (String) null).endObject();
    assertThat(json)
        .hasToString("{\"a\": 1, \"b\": true, \"c\": [\"x\", null, -2, {}, []], \"d\": null}");
  }

  @Test
  void compactTextHasNoBlanks() {
    JsonWriter json = JsonWriter.compact().beginObject().member("a", "b c").name("d").beginArray();
    assertThat(json.value(1).value(2).endArray().endObject())
        .hasToString("{\"a\":\"b c\",\"d\":[1,2]}");
  }

  @Test
  void escapesCharactersThatStringsMayNotContain() {
    assertThat(JsonWriter.compact().value("\"\\\n\t\u0000\u001f/\u007f\u20ac"))
        .hasToString("\"\\\"\\\\\\u000a\\u0009\\u0000\\u001f/\u007f\u20ac\"");
  }

  @Test
  void secondsAreExact() {
    JsonWriter json = JsonWriter.compact().beginArray();
    json.seconds(0).seconds(1).seconds(5_900).seconds(2_000_000_000).seconds(10_500_000_000L);
    assertThat(json.endArray()).hasToString("[0,0.000000001,0.0000059,2,10.5]");
  }

  @Test
  void fractionsHaveAtMostThreeDecimals() {
    JsonWriter json = JsonWriter.compact().beginArray();
    for (double each : new double[] {0, 5, 1.5, 0.0004, 0.9996, 12.3456, -2.25, 1e18}) {
      json.value(each);
    }
    json.value(Double.NaN).value(Double.POSITIVE_INFINITY);
    assertThat(json.endArray().toString())
        .isEqualTo("[0,5,1.5,0,1,12.346,-2.25,1000000000000000000,null,null]");
  }
}
