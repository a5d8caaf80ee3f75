package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKeys;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.UrlPattern;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PurgeEntryTest {
  private static Purge.Url url(String url, boolean soft) {
    return new Purge.Url(CacheKeys.of(url), soft);
  }

  private static Purge readBack(Purge what) {
    List<byte[]> entries = PurgeEntry.of(what);
    assertThat(entries).hasSize(1);
    return PurgeEntry.read(entries.get(0));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyKindComesBack(boolean soft) {
    Purge.Url url = url("http://h.example/a?b=\u00fc", soft);
    assertThat(readBack(url)).isEqualTo(url);
    Purge.Matching matching = new Purge.Matching(UrlPattern.of("h.example", "\u00e4$"), soft);
    assertThat(readBack(matching)).isEqualTo(matching);
    assertThat(readBack(new Purge.Matching(UrlPattern.of("", "^"), soft)))
        .isEqualTo(new Purge.Matching(UrlPattern.of("", "^"), soft));
    long[] numbers = {CacheGroups.ofKey("a"), CacheGroups.ofKey("b")};
    Purge.Groups groups = (Purge.Groups) readBack(new Purge.Groups(numbers, soft));
    assertThat(groups.numbers()).isEqualTo(numbers);
    assertThat(groups.soft()).isEqualTo(soft);
    assertThat(readBack(new Purge.Everything())).isEqualTo(new Purge.Everything());
  }

  /** A store id may be any text, and so may its key. */
  @Test
  void theKeyOfAStoreIdComesBack() {
    Purge.Url named =
        new Purge.Url(
            CacheKeys.of(
                "http://h/"
                    + CacheKeys.storeId("http://h/x").key().substring("http://h/".length())),
            false);
    assertThat(readBack(named)).isEqualTo(named);
  }

  @Property(tries = 300)
  void anyUrlComesBack(@ForAll @StringLength(max = 300) String path, @ForAll boolean soft) {
    String visible = path.replaceAll("[^!-~]", "x").replace('#', 'x');
    Purge.Url url = url("http://h.example/" + visible, soft);
    assertThat(readBack(url)).isEqualTo(url);
  }

  @Property(tries = 50)
  void anyGroupsComeBack(@ForAll @Size(min = 1, max = 20_000) long[] any, @ForAll boolean soft) {
    long[] numbers = Arrays.stream(any).map(number -> number == 0 ? 1 : number).toArray();
    List<byte[]> entries = PurgeEntry.ofGroups(numbers, soft);
    assertThat(entries).allMatch(entry -> entry.length <= PurgeEntry.MAX_BYTES);
    long[] back =
        entries.stream()
            .map(entry -> (Purge.Groups) PurgeEntry.read(entry))
            .flatMapToLong(groups -> Arrays.stream(groups.numbers()))
            .toArray();
    assertThat(back).isEqualTo(numbers);
  }

  @Test
  void aKeyThatIsTooLongIsAPurgeOfEverything() {
    Purge.Url url = url("http://h/" + "x".repeat(PurgeEntry.MAX_BYTES), false);
    assertThat(readBack(url)).isEqualTo(new Purge.Everything());
  }

  /** Whatever a node sends, nothing is thrown, and what is understood is sent on as it came. */
  @Property(tries = 3_000)
  void bytesAreUnderstoodOrRefused(@ForAll @Size(max = 60) byte[] bytes, @ForAll boolean likely) {
    if (likely && bytes.length > 2) {
      bytes[0] = PurgeEntry.VERSION;
      bytes[1] = (byte) (bytes[1] & 7);
      bytes[2] = (byte) (bytes[2] & 1);
    }
    Purge read = PurgeEntry.read(bytes);
    if (read instanceof Purge.Url || read instanceof Purge.Groups) {
      assertThat(PurgeEntry.of(read)).containsExactly(bytes);
    }
  }

  /** Changed bytes of an entry are refused or are another purge. */
  @Property(tries = 1_000)
  void aChangedEntryThrowsNothing(
      @ForAll boolean soft, @ForAll int at, @ForAll byte value, @ForAll int cut) {
    byte[] entry = PurgeEntry.of(new Purge.Matching(UrlPattern.of("h", "a.*"), soft)).get(0);
    entry[Math.floorMod(at, entry.length)] = value;
    PurgeEntry.read(entry);
    PurgeEntry.read(Arrays.copyOf(entry, Math.floorMod(cut, entry.length)));
  }

  @Test
  void otherVersionsKindsAndFormsAreRefused() {
    byte[] entry = PurgeEntry.of(url("http://h/", false)).get(0);
    for (int[] change : new int[][] {{0, 2}, {1, 9}, {1, 0}, {2, 2}, {2, -1}}) {
      byte[] other = entry.clone();
      other[change[0]] = (byte) change[1];
      assertThat(PurgeEntry.read(other)).as("%d", change[0]).isNull();
    }
    assertThat(PurgeEntry.read(new byte[0])).isNull();
    assertThat(PurgeEntry.read(new byte[PurgeEntry.MAX_BYTES + 1])).isNull();
    for (String text : new String[] {"", "x", "://h/", "http://h", "/x"}) {
      byte[] noKey = Arrays.copyOf(entry, 3 + text.length());
      System.arraycopy(
          text.getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, noKey, 3, text.length());
      assertThat(PurgeEntry.read(noKey)).as(text).isNull();
    }
    assertThat(PurgeEntry.read(new byte[] {1, PurgeEntry.GROUPS, 0})).isNull();
    assertThat(PurgeEntry.read(new byte[] {1, PurgeEntry.GROUPS, 0, 1})).isNull();
    assertThat(PurgeEntry.read(new byte[] {1, PurgeEntry.GROUPS, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
        .as("the group that stands for all")
        .isNull();
    assertThat(PurgeEntry.read(new byte[] {1, PurgeEntry.PATTERN, 0, 0, 9, 'x'})).isNull();
    assertThat(PurgeEntry.read(new byte[] {1, PurgeEntry.PATTERN, 0, 0, 0, '('})).isNull();
    assertThat(PurgeEntry.read(new byte[] {1, PurgeEntry.EVERYTHING, 0, 0})).isNull();
    assertThat(PurgeEntry.read(new byte[] {1, PurgeEntry.EVERYTHING, 1})).isNull();
  }
}
