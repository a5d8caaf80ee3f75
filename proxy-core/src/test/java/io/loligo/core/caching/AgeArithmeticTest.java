package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

@Label("RFC 9111 sections 4.2.1 and 4.2.3: the arithmetic against a slow model")
class AgeArithmeticTest {
  private static final String ETAG = "ETag: \"a\"";

  @Property
  void ageAndLifetimeFollowTheFormula(
      @ForAll @LongRange(max = 4_000_000_000L) long dateSecond,
      @ForAll @LongRange(min = -100_000, max = 100_000) long skewSeconds,
      @ForAll @LongRange(min = -5_000, max = 600_000) long delayMillis,
      @ForAll @LongRange(min = -5_000_000, max = 5_000_000_000L) long residentMillis,
      @ForAll @LongRange(min = -1, max = 10_000_000_000L) long age,
      @ForAll @LongRange(min = -1_000_000, max = 20_000_000_000L) long expiresIn,
      @ForAll @IntRange(min = 0, max = 999) int fraction) {
    long response = (dateSecond + 100_000 + skewSeconds) * 1000 + fraction;
    long date = (dateSecond + 100_000) * 1000;
    List<String> lines = new ArrayList<>();
    lines.add(dateLine(FieldName.DATE, date));
    lines.add(dateLine(FieldName.EXPIRES, Math.max(0, date + expiresIn * 1000)));
    lines.add(ETAG);
    if (age >= 0) {
      lines.add("Age: " + age);
    }
    StoredMeta meta =
        Storability.of(
                Heads.get(),
                Heads.response(200, lines.toArray(new String[0])),
                Responses.URL,
                response - delayMillis,
                response,
                -1,
                CachingDefaults.DEFAULT)
            .meta();

    Instant dated = Instant.ofEpochMilli(date);
    Instant arrived = Instant.ofEpochMilli(response);
    BigInteger apparent = seconds(Duration.between(dated, arrived));
    BigInteger corrected =
        BigInteger.valueOf(Math.max(0, age))
            .min(BigInteger.ONE.shiftLeft(31))
            .add(seconds(Duration.ofMillis(delayMillis)));
    BigInteger initial = apparent.max(corrected).min(BigInteger.ONE.shiftLeft(31));
    BigInteger current = initial.add(seconds(Duration.ofMillis(residentMillis)));
    assertThat(meta.initialAgeSeconds()).isEqualTo(initial.longValueExact());
    assertThat(meta.ageSeconds(response + residentMillis)).isEqualTo(current.longValueExact());

    Instant expires = Instant.ofEpochMilli(Math.max(0, date + expiresIn * 1000));
    Instant last = Instant.parse("9999-12-31T23:59:59Z");
    BigInteger lifetime =
        seconds(Duration.between(dated, expires.isAfter(last) ? last : expires))
            .min(BigInteger.ONE.shiftLeft(31));
    assertThat(meta.lifetimeSeconds()).isEqualTo(lifetime.longValueExact());
  }

  @Property
  void noNumbersOverflow(
      @ForAll long nowMillis,
      @ForAll @LongRange(min = 0, max = 4_000_000_000_000L) long responseMillis,
      @ForAll @LongRange(min = 0, max = 1L << 31) long initialAge) {
    StoredMeta meta =
        StoredMeta.builder(200)
            .responseTimeMillis(responseMillis)
            .lastModifiedMillis(0)
            .initialAgeSeconds(initialAge)
            .staleIfErrorSeconds(0)
            .contentLength(0)
            .build();
    BigInteger resident =
        BigInteger.valueOf(nowMillis)
            .subtract(BigInteger.valueOf(responseMillis))
            .divide(BigInteger.valueOf(1000))
            .max(BigInteger.ZERO);
    assertThat(meta.ageSeconds(nowMillis))
        .isEqualTo(resident.add(BigInteger.valueOf(initialAge)).longValueExact());
  }

  private BigInteger seconds(Duration duration) {
    return BigInteger.valueOf(duration.toMillis())
        .divide(BigInteger.valueOf(1000))
        .max(BigInteger.ZERO);
  }

  private String dateLine(int id, long millis) {
    FieldLines lines = new FieldLines(64);
    HttpDate.append(lines.append(FieldName.text(id)).append(": "), millis);
    return new String(lines.toBytes(), StandardCharsets.ISO_8859_1);
  }
}
