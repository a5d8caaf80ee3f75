package io.loligo.core.caching;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 4.3.1: tags of several stored responses")
class OfferedTagsTest {
  private static final Fields NOTHING = fields("");

  private final OfferedTags tags = new OfferedTags();

  @Test
  void sendsThemInOneList() {
    offer("\"a\"");
    offer("W/\"b\"");
    assertThat(line()).isEqualTo("If-None-Match: \"a\", W/\"b\"\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "\"a", "W/", "\"", "\"a\"b\"", "\"a b\""})
  void leavesOutTagsThatNoListMayHold(String tag) {
    assertThat(offer(tag)).isFalse();
  }

  @Test
  void leavesOutTagsAlreadyOffered() {
    offer("\"a\"");
    assertThat(offer("\"a\"")).isFalse();
    assertThat(offer("W/\"a\"")).isFalse();
  }

  @Test
  void leavesOutResponsesOtherThanSuccess() {
    assertThat(tags.add(meta(404, "\"a\""), NOTHING, NOTHING)).isFalse();
    assertThat(tags.add(meta(200, null), NOTHING, NOTHING)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip | gzip, br | true",
        "gzip | br | false",
        "gzip | gzip;q=0 | false",
        "gzip, br | gzip, br | false",
        "gzip | | false",
      })
  void leavesOutCodingsThatTheRequestDoesNotName(String stored, String accepted, boolean offered) {
    Fields request = fields(accepted == null ? "" : "Accept-Encoding: " + accepted + "\r\n");
    Fields variant = fields("Content-Encoding: " + stored + "\r\n");
    assertThat(tags.add(meta(200, "\"a\""), variant, request)).isEqualTo(offered);
  }

  @ParameterizedTest
  @CsvSource({"gzip, true", "GZIP, true", "br, false", "'gzip, br', false"})
  void leavesOutVariantsNegotiatedByAnotherAcceptEncoding(String accepted, boolean offered) {
    Fields stored = fields("Vary: Accept-Encoding, Accept-Language\r\n");
    Fields first = fields("Accept-Encoding: gzip\r\nAccept-Language: en\r\n");
    StoredMeta variant = meta(200, "\"a\"", VarySelection.of(false, first, stored));
    Fields request = fields("Accept-Encoding: " + accepted + "\r\nAccept-Language: de\r\n");
    assertThat(tags.add(variant, stored, request)).isEqualTo(offered);
  }

  @Test
  void isBoundedInNumber() {
    for (int i = 0; i < OfferedTags.MAX_TAGS; i++) {
      assertThat(offer("\"" + i + "\"")).isTrue();
    }
    assertThat(offer("\"one more\"")).isFalse();
    assertThat(tags.size()).isEqualTo(OfferedTags.MAX_TAGS);
  }

  @Test
  void isBoundedInBytes() {
    assertThat(offer('"' + "x".repeat(OfferedTags.MAX_BYTES) + '"')).isFalse();
    assertThat(offer('"' + "x".repeat(OfferedTags.MAX_BYTES - 3) + '"')).isTrue();
    assertThat(offer("\"y\"")).isFalse();
  }

  @Test
  void strongTagsAreNamedStronglyAndWeakOnesWeakly() {
    offer("\"a\"");
    offer("W/\"b\"");
    assertThat(tags.named(notModified("ETag: \"a\"\r\n"))).isZero();
    assertThat(tags.named(notModified("ETag: W/\"a\"\r\n"))).isZero();
    assertThat(tags.named(notModified("ETag: W/\"b\"\r\n"))).isEqualTo(1);
    assertThat(tags.named(notModified("ETag: \"b\"\r\n"))).isEqualTo(-1);
    assertThat(tags.named(notModified("ETag: \"c\"\r\n"))).isEqualTo(-1);
  }

  @Test
  void withoutTagOnlyOneCanBeMeant() {
    offer("\"a\"");
    assertThat(tags.named(notModified(""))).isZero();
    offer("\"b\"");
    assertThat(tags.named(notModified(""))).isEqualTo(-1);
  }

  private boolean offer(String tag) {
    return tags.add(meta(200, tag), NOTHING, NOTHING);
  }

  private String line() {
    FieldLines lines = new FieldLines(100);
    tags.addTo(lines);
    return new String(lines.toBytes(), ISO_8859_1);
  }

  private static StoredMeta meta(int status, String tag) {
    return meta(status, tag, null);
  }

  private static StoredMeta meta(int status, String tag, VarySelection vary) {
    byte[] etag = tag == null ? null : tag.getBytes(ISO_8859_1);
    return StoredMeta.builder(status).etag(etag).vary(vary).contentLength(1).build();
  }

  private static Fields fields(String lines) {
    return StoredFields.index((lines + "\r\n").getBytes(ISO_8859_1));
  }

  private static ResponseHead notModified(String lines) {
    byte[] block = (lines + "\r\n").getBytes(ISO_8859_1);
    ResponseHead head = new ResponseHead();
    head.clear(block);
    head.statusLine(11, 304, 0, 0);
    head.end(StoredFields.index(block, 0, head.fields()));
    return head;
  }
}
