package io.loligo.cluster.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigurationTest {
  private static Configuration of(Map<String, List<String>> lines) {
    return Configuration.of(lines);
  }

  @Test
  void equalLinesHaveEqualHashes() {
    Configuration one = of(Map.of("acl", List.of("a src 10.0.0.0/8", "b"), "via", List.of("on")));
    Configuration same = of(Map.of("via", List.of("on"), "acl", List.of("a src 10.0.0.0/8", "b")));
    assertThat(one).isEqualTo(same);
    assertThat(one.differences(same)).isEmpty();
  }

  @Test
  void namesTheDirectivesThatDiffer() {
    Configuration one =
        of(Map.of("acl", List.of("a", "b"), "via", List.of("on"), "cache", List.of("deny x")));
    Configuration other =
        of(Map.of("acl", List.of("b", "a"), "via", List.of("on"), "note", List.of("n v")));
    assertThat(one.hash()).isNotEqualTo(other.hash());
    assertThat(one.differences(other)).containsExactly("acl", "cache", "note");
    assertThat(other.differences(one)).containsExactly("acl", "cache", "note");
    assertThat(of(Map.of("acl", List.of("ab"))).hash())
        .as("where a line ends")
        .isNotEqualTo(of(Map.of("acl", List.of("a", "b"))).hash());
  }

  @Test
  void directivesBeyondTheMostShareAHash() {
    Map<String, List<String>> lines = new HashMap<>();
    for (int i = 0; i < 400; i++) {
      lines.put(String.format("d%03d", i), List.of("on"));
    }
    Configuration one = of(lines);
    assertThat(one.parts()).hasSize(Configuration.MOST);
    lines.put("d399", List.of("off"));
    assertThat(one.differences(of(lines))).containsExactly(Configuration.REST);
    lines.put("d000", List.of("off"));
    assertThat(one.differences(of(lines))).containsExactly("d000", Configuration.REST);
  }
}
