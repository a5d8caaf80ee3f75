package io.loligo.core.caching;

import static io.loligo.core.caching.Responses.NOW;
import static io.loligo.core.caching.Responses.URL;
import static io.loligo.core.caching.Responses.date;
import static io.loligo.core.caching.Responses.stored;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 4.3: validation")
class ValidationTest {
  private static final String FRESH = "Cache-Control: max-age=60";

  @Nested
  @DisplayName("section 4.3.1: sending a validation request")
  class Asking {
    @Must
    void sendsTheValidatorsThereAre() {
      String modified = date("Last-Modified", -100);
      String since = date("If-Modified-Since", -100);
      assertThat(conditions(stored(FRESH, "ETag: W/\"a\"", modified)))
          .isEqualTo("If-None-Match: W/\"a\"\r\n" + since + "\r\n");
      assertThat(conditions(stored(FRESH, "ETag: \"a\""))).isEqualTo("If-None-Match: \"a\"\r\n");
      assertThat(conditions(stored(FRESH, modified))).isEqualTo(since + "\r\n");
      assertThat(conditions(stored(FRESH))).isEmpty();
    }

    @Test
    void emptyOrInvalidValidatorsAreNone() {
      assertThat(stored(FRESH, "ETag:", "Last-Modified: 0").hasValidator()).isFalse();
    }

    private String conditions(StoredMeta meta) {
      FieldLines lines = new FieldLines(128);
      Validation.addConditions(meta, lines);
      return new String(lines.toBytes(), ISO_8859_1);
    }
  }

  @Nested
  @DisplayName("section 4.3.4: which stored response a 304 speaks of")
  class Selecting {
    @ParameterizedTest
    @Tag("MUST")
    @CsvSource({
      "'\"a\"', '\"a\"', true", "'\"a\"', '\"b\"', false", "W/\"a\", '\"a\"', false",
      "'\"a\"', W/\"a\", true", "W/\"a\", W/\"a\", true", "W/\"a\", W/\"b\", false"
    })
    void strongTagsMatchStronglyAndWeakOnesWeakly(String etag, String answer, boolean same) {
      StoredMeta meta = stored(FRESH, "ETag: " + etag);
      assertThat(Validation.confirms(meta, Heads.response(304, "ETag: " + answer))).isEqualTo(same);
    }

    @Must
    void lastModifiedDecidesWithoutTags() {
      StoredMeta meta = stored(FRESH, date("Last-Modified", -100));
      assertThat(Validation.confirms(meta, Heads.response(304, date("Last-Modified", -100))))
          .isTrue();
      assertThat(Validation.confirms(meta, Heads.response(304, date("Last-Modified", -99))))
          .isFalse();
    }

    @May
    void answerWithoutValidatorsConfirms() {
      assertThat(Validation.confirms(stored(FRESH, "ETag: \"a\""), Heads.response(304))).isTrue();
      StoredMeta dated = stored(FRESH, date("Last-Modified", -100));
      assertThat(Validation.confirms(dated, Heads.response(304))).isTrue();
    }
  }

  @Nested
  @DisplayName("RFC 9110 section 8.8: one response continued with another")
  class Continuing {
    private final String modified = date("Last-Modified", -100);

    @ParameterizedTest
    @CsvSource({
      "'\"a\"', '\"a\"', true",
      "'\"a\"', '\"b\"', false",
      "W/\"a\", W/\"a\", false",
      "W/\"a\", '\"a\"', false",
      "'\"a\"', W/\"a\", false"
    })
    void needsEqualStrongTags(String etag, String answer, boolean same) {
      assertThat(same(100, of("ETag: " + etag), "ETag: " + answer)).isEqualTo(same);
      assertThat(same(-1, of("ETag: " + etag), "ETag: " + answer)).isEqualTo(same);
    }

    @Test
    void orAnEqualStrongDateAndLength() {
      StoredMeta meta = of(modified, date("Date", 0));
      assertThat(same(100, meta, modified)).isTrue();
      assertThat(same(-1, meta, modified)).isFalse();
      assertThat(same(100, meta, date("Last-Modified", -99))).isFalse();
      assertThat(same(100, meta)).isFalse();
      assertThat(same(100, of(modified), modified)).as("without Date").isFalse();
      StoredMeta young = of(modified, date("Date", -100));
      assertThat(same(100, young, modified)).as("of the same second").isFalse();
    }

    @Test
    void tagsThatDifferOutweighDates() {
      StoredMeta meta = of(modified, date("Date", 0), "ETag: W/\"a\"");
      assertThat(same(100, meta, modified, "ETag: W/\"a\"")).isTrue();
      assertThat(same(100, meta, modified, "ETag: W/\"b\"")).isFalse();
      assertThat(same(100, meta, modified)).isFalse();
      assertThat(same(100, of(modified, date("Date", 0)), modified, "ETag: W/\"a\"")).isFalse();
    }

    @Test
    void anotherLengthOrStatusIsAnotherRepresentation() {
      StoredMeta meta = of("ETag: \"a\"");
      assertThat(same(99, meta, "ETag: \"a\"")).isFalse();
      assertThat(Validation.provesSame(meta, Heads.response(206, "ETag: \"a\""), 100)).isFalse();
    }

    @Test
    void withoutValidatorsNothingIsCertain() {
      assertThat(same(100, of())).isFalse();
    }

    private static StoredMeta of(String... lines) {
      String[] all = java.util.Arrays.copyOf(lines, lines.length + 1);
      all[lines.length] = FRESH;
      return stored(all).withContentLength(100);
    }

    private static boolean same(long length, StoredMeta meta, String... lines) {
      return Validation.provesSame(meta, Heads.response(200, lines), length);
    }
  }

  @Nested
  @DisplayName("section 3.2: updating stored fields")
  class Freshened {
    private final byte[] block =
        Heads.block(
            "Date: Sun, 06 Nov 1994 08:49:37 GMT",
            "Content-Type: text/plain",
            "Content-Encoding: gzip",
            "X-Old: 1",
            "X-Both: old",
            "x-both: older",
            "Cache-Control: max-age=1",
            "ETag: \"a\"");

    @Must
    void fieldsOfThe304ReplaceStoredOnes() {
      Fields merged =
          merge("Cache-Control: max-age=60", "X-BOTH: new", "X-New: 1", date("Date", 5));
      assertThat(merged.joined("X-Both")).isEqualTo("new");
      assertThat(merged.joined("Cache-Control")).isEqualTo("max-age=60");
      assertThat(merged.joined("X-Old")).isEqualTo("1");
      assertThat(merged.joined("X-New")).isEqualTo("1");
      assertThat(merged.joined("Content-Type")).isEqualTo("text/plain");
      assertThat(merged.joined("ETag")).isEqualTo("\"a\"");
      assertThat("Date: " + merged.joined("Date")).isEqualTo(date("Date", 5));
      assertThat(merged.count()).isEqualTo(8);
    }

    @Test
    void allLinesOfARepeatedFieldTakeTheirPlace() {
      assertThat(merge("X-Both: 1", "X-Both: 2").joined("X-Both")).isEqualTo("1, 2");
    }

    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(
        strings = {
          "Content-Length",
          "Content-Encoding",
          "Content-Range",
          "Transfer-Encoding",
          "Connection",
          "Keep-Alive",
          "Proxy-Authenticate",
          "Proxy-Authentication-Info",
          "Proxy-Connection",
          "TE",
          "Trailer",
          "Upgrade"
        })
    void framingAndHopByHopFieldsDoNot(String name) {
      String before = StoredFields.index(block).joined(name);
      assertThat(merge(name + ": x").joined(name)).isEqualTo(before);
    }

    @Must
    void aValidatorThatConnectionNominatesDoesNot() {
      assertThat(merge("Connection: x-both, close", "X-Both: new").joined("X-Both"))
          .isEqualTo("old, older");
    }

    @Test
    void dateAndAgeAreThoseOfThe304() {
      assertThat(merge("Age: 7").joined("Age")).isEqualTo("7");
      assertThat(merge("Age: 7").joined("Date")).isNull();
    }

    @Test
    void headIsWholeInItself() {
      ResponseHead merged = Freshening.merge(203, block, Heads.response(304, "X-New: 1"));
      assertThat(merged.status()).isEqualTo(203);
      assertThat(merged.end()).isEqualTo(merged.bytes().length);
      assertThat(new String(merged.bytes(), ISO_8859_1)).endsWith("X-New: 1\r\n\r\n");
      assertThat(merged.snapshot().fields().joined("X-New")).isEqualTo("1");
    }

    @Must
    @DisplayName("4.3.4: the lifetime starts anew")
    void metaIsThatOfTheNewExchange() {
      StoredMeta before =
          stored("Cache-Control: max-age=1", "ETag: \"a\"", "Vary: Accept").withContentLength(7);
      ResponseHead answer =
          Heads.response(304, "Cache-Control: max-age=90", "Age: 3", date("Date", 1000));
      StoredMeta after =
          Storability.freshened(
              before,
              Heads.fields(),
              Freshening.merge(200, block, answer),
              URL,
              NOW + 1_000_000,
              NOW + 1_002_000,
              CachingDefaults.DEFAULT);
      assertThat(after.status()).isEqualTo(200);
      assertThat(after.lifetimeSeconds()).isEqualTo(90);
      assertThat(after.initialAgeSeconds()).isEqualTo(5);
      assertThat(after.responseTimeMillis()).isEqualTo(NOW + 1_002_000);
      assertThat(after.dateMillis()).isEqualTo(NOW + 1_000_000);
      assertThat(after.etag()).asString(ISO_8859_1).isEqualTo("\"a\"");
      assertThat(after.vary()).isEqualTo(before.vary()).isNotNull();
      assertThat(after.contentLength()).isEqualTo(7);
    }

    @Test
    void answerThatForbidsStoringIsValidatedEveryTime() {
      for (String value : new String[] {"no-store", "private", "no-cache"}) {
        ResponseHead answer = Heads.response(304, "Cache-Control: max-age=90, " + value);
        StoredMeta after =
            Storability.freshened(
                stored(FRESH),
                Heads.fields(),
                Freshening.merge(200, block, answer),
                URL,
                NOW,
                NOW,
                CachingDefaults.DEFAULT);
        assertThat(after.has(StoredMeta.NO_CACHE)).isTrue();
      }
    }

    private Fields merge(String... lines) {
      return Freshening.merge(200, block, Heads.response(304, lines)).fields();
    }
  }

  @Nested
  @DisplayName("stored field lines")
  class Lines {
    @Test
    void areReadFromABuffer() {
      ByteBuf buffer = Unpooled.wrappedBuffer(Heads.block("ETag:  \"a\" ", "x: y"));
      buffer.readerIndex(0);
      Fields fields = StoredFields.index(buffer);
      assertThat(fields.count()).isEqualTo(2);
      assertThat(fields.get(FieldName.ETAG)).isEqualTo("\"a\"");
      assertThat(buffer.readableBytes()).isEqualTo(21);
      buffer.release();
    }

    @Test
    void endAtTheEmptyLine() {
      byte[] block = "A: 1\r\n\r\nB: 2\r\n".getBytes(ISO_8859_1);
      assertThat(StoredFields.index(block).count()).isEqualTo(1);
      assertThat(StoredFields.index("A: 1\r\nB: 2\r\n".getBytes(ISO_8859_1)).count()).isEqualTo(2);
      assertThat(StoredFields.index(new byte[0]).count()).isZero();
    }
  }
}
