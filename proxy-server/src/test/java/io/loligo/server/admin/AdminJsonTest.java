package io.loligo.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.purge.Ban;
import io.loligo.store.purge.UrlPattern;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How the pages lay out their JSON. */
final class AdminJsonTest {
  @Test
  void rowsStandOnLinesOfTheirOwn() {
    assertThat(BanJson.of(List.of())).isEqualTo("[\n]\n");
    assertThat(BanJson.of(List.of(new Ban(0, UrlPattern.of("h", "x")), ban(1000))))
        .isEqualTo(
            "[\n"
                + "  {\"since\": \"1970-01-01T00:00:00Z\", \"host\": \"h\", \"pattern\": \"x\","
                + " \"soft\": false},\n"
                + "  {\"since\": \"1970-01-01T00:00:01Z\", \"host\": \"i\", \"pattern\": \"y\","
                + " \"soft\": false}\n"
                + "]\n");
  }

  @Test
  void rowsMayBeMembers() {
    Map<String, Map<String, Long>> misses = new TreeMap<>();
    misses.put("a:80", new TreeMap<>(Map.of("x", 1L, "y", 2L)));
    misses.put("b:80", Map.of());
    assertThat(MissesJson.of(misses))
        .isEqualTo("{\n  \"a:80\": {\"x\": 1, \"y\": 2},\n  \"b:80\": {}\n}\n");
  }

  @Test
  void repliesHaveNoBlanks() {
    assertThat(new Reloaded(true, List.of("a", "b\"")).json())
        .isEqualTo("{\"reloaded\":true,\"lines\":[\"a\",\"b\\\"\"]}");
    assertThat(new Reloaded(false, List.of()).json())
        .isEqualTo("{\"reloaded\":false,\"lines\":[]}");
  }

  private static Ban ban(long millis) {
    return new Ban(millis, UrlPattern.of("i", "y"));
  }
}
