package io.loligo.core.range;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.Heads;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("RFC 9111 section 3.4: several parts of one response")
class JoinedPartsTest {
  private static StoredMeta part(String tag, long millis, long first, long end) {
    byte[] etag = tag == null ? null : tag.getBytes(ISO_8859_1);
    return StoredMeta.builder(200)
        .requestTimeMillis(millis)
        .responseTimeMillis(millis)
        .dateMillis(millis)
        .lifetimeSeconds(60)
        .etag(etag)
        .contentLength(100)
        .part(new ContentPart(first, end))
        .build();
  }

  private static Fields range(String range) {
    return Heads.get("Range: bytes=" + range).fields();
  }

  private static JoinedParts of(Fields request, StoredMeta... parts) {
    return JoinedParts.of(List.of(parts), request);
  }

  @Test
  void adjacentAndOverlappingPartsAreOne() {
    JoinedParts joined =
        of(null, part("\"a\"", 1, 50, 100), part("\"a\"", 3, 0, 30), part("\"a\"", 2, 20, 50));
    assertThat(joined.meta().part()).as("nothing is missing").isNull();
    assertThat(joined.used()).containsExactly(1, 2, 0);
    assertThat(joined.newest()).isEqualTo(1);
    assertThat(joined.outdated()).isEmpty();
    assertThat(joined.meta().responseTimeMillis()).isEqualTo(3);
  }

  @Test
  @DisplayName("a purge between two parts concerns both of them together")
  void theOldestRequestCounts() {
    JoinedParts joined = of(null, part("\"a\"", 1, 0, 50), part("\"a\"", 3, 50, 100));
    assertThat(joined.meta().requestTimeMillis()).isEqualTo(1);
  }

  @Test
  void gapsStay() {
    JoinedParts joined = of(null, part("\"a\"", 1, 0, 10), part("\"a\"", 1, 20, 30));
    assertThat(joined.meta().part())
        .isEqualTo(new ContentPart(0, 30, List.of(new ContentPart(10, 20))));
    assertThat(joined.meta().part().holds(9, 20)).isFalse();
    assertThat(joined.meta().part().holds(20, 29)).isTrue();
  }

  @Test
  void partsBesideTheRangeAreLeftOut() {
    StoredMeta[] parts = {
      part("\"a\"", 1, 0, 10), part("\"a\"", 1, 20, 30), part("\"a\"", 1, 60, 70)
    };
    assertThat(of(range("22-40"), parts).used()).containsExactly(1);
    assertThat(of(range("30-40"), parts).used()).as("it ends there").containsExactly(1);
    assertThat(of(range("5-65"), parts).used()).containsExactly(0, 1, 2);
    assertThat(of(range("0-1,62-63"), parts).used()).containsExactly(0, 1, 2);
    assertThat(of(range("40-50"), parts).used()).hasSize(1);
  }

  @Test
  @Tag("MUST")
  @DisplayName("3.4: only with the same strong validator")
  void onlyEqualStrongTagsAreJoined() {
    JoinedParts other = of(null, part("\"a\"", 1, 0, 50), part("\"b\"", 2, 50, 100));
    assertThat(other.used()).containsExactly(1);
    assertThat(other.outdated()).as("of an older representation").containsExactly(0);
    assertThat(of(null, part("W/\"a\"", 1, 0, 50), part("W/\"a\"", 2, 50, 100)).used())
        .containsExactly(1);
    assertThat(of(null, part(null, 1, 0, 50), part(null, 2, 50, 100)).used()).containsExactly(1);
  }

  @Test
  void withoutAStrongTagOnePartAnswersAlone() {
    StoredMeta[] parts = {part(null, 1, 0, 50), part(null, 2, 50, 100)};
    assertThat(of(range("10-20"), parts).used()).containsExactly(0);
    assertThat(of(range("60-70"), parts).used()).containsExactly(1);
    assertThat(of(range("40-60"), parts).used()).containsExactly(1);
  }

  @Test
  void aPartThatAnotherHasIsOfNoUse() {
    JoinedParts joined =
        of(null, part("\"a\"", 2, 10, 20), part("\"a\"", 1, 0, 50), part("\"a\"", 3, 0, 40));
    assertThat(joined.used()).containsExactly(1);
    assertThat(joined.outdated()).containsExactlyInAnyOrder(0, 2);
  }

  @Test
  void portsOfTheOtherKindJoinNothing() {
    StoredMeta targeted = part("\"a\"", 1, 0, 50).withFlag(StoredMeta.TARGETED);
    JoinedParts joined = of(null, targeted, part("\"a\"", 2, 50, 100));
    assertThat(joined.used()).containsExactly(1);
    assertThat(joined.outdated()).isEmpty();
  }

  @Test
  void oneOfThemKnowsTheLength() {
    StoredMeta unknown = part("\"a\"", 2, 0, 50).withContentLength(-1);
    JoinedParts joined = of(null, unknown, part("\"a\"", 1, 50, 100));
    assertThat(joined.meta().contentLength()).isEqualTo(100);
    assertThat(joined.meta().part()).isNull();
  }
}
