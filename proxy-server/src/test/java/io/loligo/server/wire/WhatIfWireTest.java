package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import org.junit.jupiter.api.Test;

/** {@code /whatif} at the admin port. */
class WhatIfWireTest extends WireTest {
  private String whatIf() throws Exception {
    String head = "GET /whatif HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.adminPort();
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      WireMessage answer = client.send(head + "\r\nConnection: close\r\n\r\n").responseTo("GET");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.field("Content-Type")).startsWith("application/json");
      return answer.text();
    }
  }

  /** The text after {@code "name":} to the end of its line. */
  private static String member(String json, String name) {
    int from = json.indexOf("\"" + name + "\": ");
    assertThat(from).as("%s in %s", name, json).isNotNegative();
    return json.substring(from + name.length() + 4).lines().findFirst().orElseThrow();
  }

  /** Requests are taken each second. */
  private String after(int requests) throws Exception {
    Waiting.until(
        requests + " requests are counted",
        () -> member(whatIf(), "sampledRequests").startsWith(requests + ","));
    return whatIf();
  }

  @Test
  void tellsTheHitRatioThatItMeasuresForTheSameTraffic() throws Exception {
    startProxy();
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000", "ETag: \"1\"");
    origin.onOk("/b", "hello", "Cache-Control: max-age=1000");
    origin.onOk("/private", "hello", "Cache-Control: no-store");
    get("/a");
    get("/a");
    exchange("HEAD", "/a");
    get("/a", "If-None-Match: \"1\"");
    get("/b");
    get("/private");
    get("/private");
    exchange("OPTIONS", "/a", "Max-Forwards: 0"); // not counted: no cache changes it
    String json = after(5);
    String memory = member(json, "memory");
    assertThat(memory).contains("\"hitRatio\": 0.429, ", "\"measuredHitRatio\": 0.429, ");
    assertThat(memory).contains("\"sizeBytes\": " + (32 << 20) + ", ");
    assertThat(memory).contains("\"text\": \"doubling cache_mem: +0.0 points of hit ratio; ");
    assertThat(memory).contains("\"doubled\": {\"sizeBytes\": " + (64 << 20) + ", ");
    assertThat(member(json, "disk")).isEqualTo("null");
    assertThat(member(json, "samplingSince")).startsWith("\"20");
  }

  @Test
  void showsMemoryAndDiskTogetherWithACacheDir() throws Exception {
    startProxy("cache_dir ufs " + dir.resolve("cache") + " 100 16 256");
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    get("/a");
    get("/a");
    String disk = member(after(2), "disk");
    assertThat(disk).contains("doubling cache_dir:", "\"sizeBytes\": " + (100 << 20) + ", ");
    assertThat(disk).contains("\"hitRatio\": 0.5, ", "\"measuredHitRatio\": 0.5, ");
  }
}
