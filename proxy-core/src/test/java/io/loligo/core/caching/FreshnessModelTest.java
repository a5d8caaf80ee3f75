package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.ResponseHead;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Every term of the freshness sum against a slow model: it knows the parts of the response, reads
 * no field, and calculates without limits.
 */
class FreshnessModelTest {
  private static final BigInteger LARGEST = BigInteger.ONE.shiftLeft(31);
  private static final List<Integer> STATUSES =
      List.of(200, 203, 204, 300, 301, 302, 307, 308, 403, 404, 410, 451, 500, 503, 599);

  /** The parts of a response, its way and the rules; null: absent. Times in seconds. */
  private static final class Made {
    private final Random random;
    private final int status;
    private final Long sharedMaxAge;
    private final Long maxAge;
    private final boolean isPublic;
    private final Long targetedMaxAge;
    private final boolean byCdnField;
    private final boolean gateway;
    private final List<Long> expiresIn = new ArrayList<>();
    private final boolean expiresInvalid;
    private final Long dateBefore;
    private final Long unchangedFor;
    private final Long age;
    private final long delayMillis;
    private final long residentMillis;
    private final long negativeTtl;
    private final long[] pattern;
    private final Set<Option> options = EnumSet.noneOf(Option.class);
    private final long responseMillis;

    Made(long seed) {
      random = new Random(seed);
      status = STATUSES.get(random.nextInt(STATUSES.size()));
      sharedMaxAge = perhaps(6, number());
      maxAge = perhaps(3, number());
      isPublic = random.nextInt(4) == 0;
      targetedMaxAge = perhaps(6, number());
      byCdnField = random.nextBoolean();
      gateway = random.nextBoolean();
      for (int i = random.nextInt(8); i >= 6; i--) {
        expiresIn.add(number() - 1000);
      }
      expiresInvalid = random.nextInt(12) == 0;
      dateBefore =
          perhaps(
              1, random.nextInt(3) - 1L + (random.nextInt(4) == 0 ? number() % 900_000_000 : 0L));
      unchangedFor = perhaps(2, number() % 900_000_000 - 10);
      age = perhaps(3, number());
      delayMillis = random.nextInt(20_000) - 2000L;
      residentMillis = number() * 1000 + random.nextInt(1000) - 5000;
      negativeTtl = random.nextInt(3) * 60L;
      long min = random.nextInt(20);
      pattern =
          random.nextInt(3) == 0
              ? new long[] {min, random.nextInt(120), min + random.nextInt(2000)}
              : null;
      for (Option option : List.of(Option.OVERRIDE_EXPIRE, Option.OVERRIDE_LASTMOD)) {
        if (random.nextInt(3) == 0) {
          options.add(option);
        }
      }
      responseMillis = 1_900_000_000_000L + random.nextInt(1000);
    }

    private Long perhaps(int of, long value) {
      return random.nextInt(of + 1) == 0 ? null : Long.valueOf(value);
    }

    private long number() {
      return switch (random.nextInt(5)) {
        case 0 -> 0;
        case 1 -> random.nextInt(10);
        case 2 -> random.nextInt(10_000);
        case 3 -> random.nextInt(10_000_000);
        default -> (long) random.nextInt(1000) << 22;
      };
    }

    private long responseSecond() {
      return responseMillis / 1000;
    }

    /** When the response says it was made; else when it came. */
    private BigInteger dateMillis() {
      return dateBefore == null
          ? BigInteger.valueOf(responseMillis)
          : BigInteger.valueOf(responseSecond() - dateBefore).multiply(BigInteger.valueOf(1000));
    }

    ResponseHead response() {
      List<String> lines = new ArrayList<>();
      if (sharedMaxAge != null) {
        lines.add("Cache-Control: s-maxage=" + sharedMaxAge);
      }
      if (maxAge != null) {
        lines.add("Cache-Control: max-age=" + maxAge);
      }
      if (isPublic) {
        lines.add("Cache-Control: public");
      }
      if (targetedMaxAge != null) {
        lines.add((byCdnField ? "CDN-" : "Loligo-") + "Cache-Control: max-age=" + targetedMaxAge);
      }
      for (long in : expiresIn) {
        lines.add(line("Expires", dateMillis().longValueExact() / 1000 + in));
      }
      if (expiresInvalid) {
        lines.add("Expires: soon");
      }
      if (dateBefore != null) {
        lines.add(line("Date", responseSecond() - dateBefore));
      }
      if (unchangedFor != null) {
        lines.add(line("Last-Modified", dateMillis().longValueExact() / 1000 - unchangedFor));
      }
      if (age != null) {
        lines.add("Age: " + age);
      }
      return Heads.response(status, lines.toArray(new String[0]));
    }

    CacheSettings settings() {
      CacheSettings settings =
          new CacheSettings(
              CachingDefaults.CONFIG
                  .with(CachingDirectives.NEGATIVE_TTL, negativeTtl)
                  .with(
                      CachingDirectives.REFRESH_PATTERN,
                      pattern == null
                          ? List.of()
                          : List.of(
                              Patterns.pattern(
                                  pattern[0],
                                  (int) pattern[1],
                                  pattern[2],
                                  options.toArray(new Option[0])))),
              0);

      return gateway ? settings.asGateway(true) : settings;
    }

    private static String line(String name, long second) {
      FieldLines lines = new FieldLines(64);
      HttpDate.append(lines.append(name).append(": "), second * 1000);
      return new String(lines.toBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private record Lifetime(BigInteger seconds, String from) {
    Lifetime(long seconds, String from) {
      this(BigInteger.valueOf(seconds), from);
    }
  }

  private static Lifetime lifetime(Made made) {
    boolean targeted = made.targetedMaxAge != null && (!made.byCdnField || made.gateway);
    String suffix = targeted ? ", by a targeted field" : "";
    Lifetime explicit = explicit(made, targeted);
    if (explicit != null) {
      BigInteger min = made.pattern == null ? null : BigInteger.valueOf(made.pattern[0] * 60);
      boolean longer =
          min != null
              && made.options.contains(Option.OVERRIDE_EXPIRE)
              && min.compareTo(explicit.seconds) > 0;
      return longer
          ? new Lifetime(min, "refresh_pattern min, by override-expire" + suffix)
          : new Lifetime(explicit.seconds, explicit.from + suffix);
    }
    if (List.of(204, 403, 404, 500, 503).contains(made.status)) {
      if (made.negativeTtl > 0) {
        return new Lifetime(made.negativeTtl, "negative_ttl");
      }
      boolean dated = made.unchangedFor != null && made.unchangedFor > 0;
      boolean allowed = List.of(204, 404).contains(made.status) || made.isPublic;
      return allowed && dated
          ? guessed(made, null)
          : new Lifetime(0, "none given, and none may be assumed");
    }
    if (!List.of(200, 203, 300, 301, 308, 410).contains(made.status) && !made.isPublic) {
      return new Lifetime(0, "none given, and none may be assumed");
    }
    return guessed(made, made.pattern);
  }

  private static Lifetime explicit(Made made, boolean targeted) {
    if (targeted) {
      return new Lifetime(BigInteger.valueOf(made.targetedMaxAge).min(LARGEST), "max-age");
    }
    if (made.sharedMaxAge != null) {
      return new Lifetime(BigInteger.valueOf(made.sharedMaxAge).min(LARGEST), "s-maxage");
    }
    if (made.maxAge != null) {
      return new Lifetime(BigInteger.valueOf(made.maxAge).min(LARGEST), "max-age");
    }
    if (made.expiresInvalid) {
      return new Lifetime(0, "Expires - Date");
    }
    BigInteger dateMillis = made.dateMillis();
    BigInteger thousand = BigInteger.valueOf(1000);
    return made.expiresIn.stream()
        .map(in -> dateMillis.divide(thousand).add(BigInteger.valueOf(in)).multiply(thousand))
        .map(expires -> expires.subtract(dateMillis).divide(thousand))
        .min(BigInteger::compareTo)
        .map(least -> new Lifetime(least.max(BigInteger.ZERO).min(LARGEST), "Expires - Date"))
        .orElse(null);
  }

  private static Lifetime guessed(Made made, long[] pattern) {
    BigInteger unchanged = BigInteger.ZERO;
    if (made.unchangedFor != null) {
      BigInteger thousand = BigInteger.valueOf(1000);
      BigInteger modified =
          made.dateMillis()
              .divide(thousand)
              .subtract(BigInteger.valueOf(made.unchangedFor))
              .multiply(thousand);
      unchanged = made.dateMillis().subtract(modified).divide(thousand).max(BigInteger.ZERO);
    }
    if (pattern == null) {
      BigInteger share = unchanged.divide(BigInteger.valueOf(5));
      BigInteger threeDays = BigInteger.valueOf(259_200);
      return share.compareTo(threeDays) > 0
          ? new Lifetime(threeDays, "20 % of Date - Last-Modified, at most three days")
          : new Lifetime(share, "20 % of Date - Last-Modified");
    }
    BigInteger min = BigInteger.valueOf(pattern[0] * 60);
    BigInteger max = BigInteger.valueOf(pattern[2] * 60);
    BigInteger share =
        unchanged.multiply(BigInteger.valueOf(pattern[1])).divide(BigInteger.valueOf(100));
    boolean known = unchanged.signum() > 0;
    boolean minBeats = made.options.contains(Option.OVERRIDE_LASTMOD) && share.compareTo(min) <= 0;
    Lifetime chosen =
        known && !minBeats
            ? new Lifetime(share, "refresh_pattern percent of Date - Last-Modified")
            : new Lifetime(min, "refresh_pattern min");
    return chosen.seconds.compareTo(max) > 0 ? new Lifetime(max, "refresh_pattern max") : chosen;
  }

  @Property(tries = 5000)
  void everyTermFollowsTheModel(@ForAll long seed) {
    Made made = new Made(seed);
    ResponseHead response = made.response();
    CacheSettings settings = made.settings();
    StoredMeta before = StoredMeta.builder(made.status).build();
    StoredMeta meta =
        Storability.freshened(
            before,
            Heads.fields(),
            response,
            Responses.URL,
            made.responseMillis - made.delayMillis,
            made.responseMillis,
            settings);
    long now = made.responseMillis + made.residentMillis;
    FreshnessSum sum = new FreshnessSum(meta, response.fields(), Responses.URL, settings, now);

    BigInteger apparent =
        seconds(BigInteger.valueOf(made.responseMillis).subtract(made.dateMillis()));
    BigInteger delay = seconds(BigInteger.valueOf(made.delayMillis));
    BigInteger received = BigInteger.valueOf(made.age == null ? 0 : made.age).min(LARGEST);
    BigInteger corrected = received.add(delay);
    BigInteger initial = apparent.max(corrected).min(LARGEST);
    BigInteger resident = seconds(BigInteger.valueOf(made.residentMillis));
    assertThat(sum.apparentAgeSeconds).isEqualTo(apparent.longValueExact());
    assertThat(sum.responseDelaySeconds).isEqualTo(delay.longValueExact());
    assertThat(sum.correctedInitialAgeSeconds).isEqualTo(initial.longValueExact());
    assertThat(sum.residentTimeSeconds).isEqualTo(resident.longValueExact());
    assertThat(sum.currentAgeSeconds).isEqualTo(initial.add(resident).longValueExact());
    assertThat(sum.ageValueSeconds).isEqualTo(received.longValueExact());
    Lifetime lifetime = lifetime(made);
    assertThat(sum.lifetimeFrom).isEqualTo(lifetime.from);
    assertThat(sum.lifetimeSeconds).isEqualTo(lifetime.seconds.longValueExact());
    assertThat(sum.remainingSeconds())
        .isEqualTo(lifetime.seconds.subtract(initial).subtract(resident).longValueExact());
    assertThat(sum.asStored).isTrue();
    assertThat(sum.pattern == null).isEqualTo(made.pattern == null);
  }

  private static BigInteger seconds(BigInteger millis) {
    return millis.divide(BigInteger.valueOf(1000)).max(BigInteger.ZERO);
  }
}
