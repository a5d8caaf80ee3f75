package io.loligo.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.Directives;
import io.loligo.core.config.Feature;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Setting;
import io.loligo.server.config.TextSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The words behind a directive {@code words}. */
class TlsWordsTest {
  private static final Feature FEATURE = new Feature("Words");
  private static final Setting<TlsOptions> WORDS =
      FEATURE.lines("words", "OPTION...", Words::new).text("Words.");

  private static final class Words implements LineReader<TlsOptions> {
    private final Reading reading;
    private TlsOptions options = TlsOptions.DEFAULT;

    Words(Reading reading) {
      this.reading = reading;
    }

    @Override
    public void read(Line line) {
      TlsWords words = new TlsWords(line, reading.report());
      for (String word : line.values()) {
        Option option = Option.of(word);
        assertThat(words.take(word, option.name(), option.value())).as(word).isTrue();
      }
      options = words.options();
    }

    @Override
    public TlsOptions value() {
      return options;
    }
  }

  private static ConfigResult read(String words) {
    Directives directives = new Directives(List.of(FEATURE));
    return new ConfigReader(directives, new TextSource()).readText("t.conf", "words " + words);
  }

  private static TlsOptions options(String words) {
    ConfigResult result = read(words);
    assertThat(result.problems()).isEmpty();
    return result.config().get(WORDS);
  }

  @Test
  void aKeyBelongsToTheCertificateBeforeIt() {
    assertThat(options("cert=a key=b cert=c").certificates())
        .containsExactly(new CertificateFiles("a", "b"), new CertificateFiles("c", "c"));
    assertThat(read("key=b").errors()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "min-version=1.2, TLSv1.3 TLSv1.2",
    "min-version=1.3, TLSv1.3",
    "version=1, TLSv1.3 TLSv1.2",
    "version=6, TLSv1.2",
    "'options=NO_SSLv3,NO_TLSv1,NO_TLSv1_1', TLSv1.3 TLSv1.2",
    "options=NO_TLSv1_3:SINGLE_ECDH_USE, TLSv1.2",
    "options=NO_TLSv1_2, TLSv1.3",
    "options=0x28000000 options=!NO_TLSv1_3, TLSv1.3"
  })
  void versionsAreThoseThatNoWordExcludes(String words, String protocols) {
    assertThat(String.join(" ", options(words).protocols())).isEqualTo(protocols);
  }

  @ParameterizedTest
  @ValueSource(strings = {"options=NO_TICKET", "options=0x4000", "flags=NO_SESSION_REUSE"})
  void sessionsAreNotResumedIfAWordSaysSo(String words) {
    assertThat(options("cert=a").resumes()).isTrue();
    assertThat(options(words).resumes()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "min-version=1.0",
        "version=4",
        "options=TLS_D5_BUG",
        "options=!NO_SSLv3",
        "cipher=DEFAULT:!RC4"
      })
  void weakerAndObsoleteWordsGetAWarning(String words) {
    ConfigResult result = read(words);
    assertThat(result.errors()).isEmpty();
    assertThat(result.problems()).hasSize(1);
    assertThat(result.config().get(WORDS).versions()).isEqualTo(TlsOptions.DEFAULT.versions());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "min-version=1.4",
        "min-version=",
        "version=7",
        "options=NO_TLSv1_2,NO_TLSv1_3",
        "options=NO_FUTURE",
        "options=0x1",
        "cipher=STRONG",
        "cipher=RC4",
        "flags=VERIFY_EVERYTHING",
        "flags=VERIFY_CRL",
        "cafile=",
        "default-ca=maybe"
      })
  void wordsThatCannotTakeEffectStopTheStart(String words) {
    assertThat(read(words).errors()).hasSize(1).first().matches(ConfigProblem::isError);
  }

  @Test
  void authoritiesAndFlagsReachTheirPlaces() {
    TlsOptions options =
        options("cafile=a cafile=b capath=c crlfile=d flags=VERIFY_CRL,NO_DEFAULT_CA no-npn");
    assertThat(options.caFiles()).containsExactly("a", "b");
    assertThat(options.caPath()).isEqualTo("c");
    assertThat(options.crlFile()).isEqualTo("d");
    assertThat(options.has(TlsFlag.VERIFY_CRL)).isTrue();
    assertThat(options.trustsSystem(true)).isFalse();
    assertThat(options("default-ca=off").trustsSystem(true)).isFalse();
    assertThat(options("default-ca").trustsSystem(false)).isTrue();
  }
}
