package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9875: cache groups")
class CacheGroupsTest {
  private static final CacheKey KEY = CacheKeys.of("http://a.example/x");

  @Must
  @DisplayName("section 2: a group is of one origin")
  void groupsAreOfOneOrigin() {
    long[] here = of(KEY, "Cache-Groups: \"one\"");
    assertThat(of(CacheKeys.of("http://A.example:80/y"), "Cache-Groups: \"one\"")).isEqualTo(here);
    assertThat(of(CacheKeys.of("http://b.example/x"), "Cache-Groups: \"one\"")).isNotEqualTo(here);
    assertThat(of(CacheKeys.of("http://a.example:81/x"), "Cache-Groups: \"one\""))
        .isNotEqualTo(here);
    assertThat(of(KEY, "Cache-Groups: \"One\"")).isNotEqualTo(here);
    assertThat(here).containsExactly(CacheGroups.ofGroup("http://a.example", "one"));
  }

  @Must
  @DisplayName("section 2: 32 groups of 32 characters at least")
  void takesMoreThanTheLeastThatMustBeTaken() {
    assertThat(of(KEY, "Cache-Groups: " + list(CacheGroups.MAX))).hasSize(CacheGroups.MAX);
  }

  @Test
  void aResponseOfTooManyGroupsBelongsToAll() {
    assertThat(of(KEY, "Cache-Groups: " + list(CacheGroups.MAX + 1)))
        .containsExactly(CacheGroups.ALL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"one", "\"a\", b", "(\"a\")", "\"a\",", "1"})
  void ignoresAFieldThatIsNotAListOfStrings(String value) {
    assertThat(of(KEY, "Cache-Groups: " + value)).isEmpty();
    assertThat(CacheGroups.invalidated(KEY, Heads.fields("Cache-Group-Invalidation: " + value)))
        .isEmpty();
  }

  @Test
  void parametersMeanNothing() {
    assertThat(of(KEY, "Cache-Groups: \"one\";a=1")).isEqualTo(of(KEY, "Cache-Groups: \"one\""));
  }

  @Test
  void surrogateKeysAreTheSameUnderEitherNameAndInEveryOrigin() {
    long[] keys = of(KEY, "Surrogate-Key: a  b", "Surrogate-Key: c");
    assertThat(of(CacheKeys.of("http://b.example/"), "xkey: a b c")).isEqualTo(keys);
    assertThat(keys)
        .containsExactly(CacheGroups.ofKey("a"), CacheGroups.ofKey("b"), CacheGroups.ofKey("c"));
    assertThat(CacheGroups.ofKey("a")).isNotEqualTo(CacheGroups.ofGroup("", "a"));
  }

  @Test
  void numbersAreTheSameInEveryProcess() {
    assertThat(CacheGroups.ofKey("front")).isEqualTo(-7775679498060023147L);
  }

  @Test
  void invalidationNamesGroupsOfTheRequestsOrigin() {
    assertThat(
            CacheGroups.invalidated(
                KEY, Heads.fields("Cache-Group-Invalidation: \"one\", \"two\"")))
        .containsExactly(
            CacheGroups.ofGroup("http://a.example", "one"),
            CacheGroups.ofGroup("http://a.example", "two"));
  }

  private static String list(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"" + i + "\"")
        .collect(Collectors.joining(", "));
  }

  private static long[] of(CacheKey key, String... lines) {
    return CacheGroups.of(key, Heads.fields(lines));
  }
}
