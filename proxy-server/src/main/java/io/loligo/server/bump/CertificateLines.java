package io.loligo.server.bump;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import io.loligo.server.bump.CertificateRules.Adaptation;
import io.loligo.server.bump.CertificateRules.AdaptationLine;
import io.loligo.server.bump.CertificateRules.SigningLine;
import io.loligo.server.tls.CertificateSigning;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code sslproxy_cert_sign} and {@code sslproxy_cert_adapt} lines: a word, then ACLs.
 * Confined to one thread.
 *
 * @param <L> a line
 */
abstract class CertificateLines<L> implements LineReader<List<L>> {
  /** The longest common name of RFC 5280. */
  private static final int MOST_COMMON_NAME = 64;

  final Report report;
  private final Rules rules;
  private final List<L> lines = new ArrayList<>();

  private CertificateLines(Reading reading) {
    report = reading.report();
    rules = reading.rules();
  }

  /** The line of {@code word}; null: it is wrong, which is reported. */
  abstract @Nullable L line(Line line, String word, AclList condition);

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    String word = values.isEmpty() ? "" : values.get(0);
    List<String> terms = values.isEmpty() ? values : values.subList(1, values.size());
    AclList condition =
        rules.check(RuleScope.TUNNEL, line, terms) ? rules.compileTerms(line, terms) : null;
    L read = line(line, word, condition == null ? AclList.denyAll() : condition);
    if (read != null && condition != null) {
      lines.add(read);
    }
  }

  @Override
  public List<L> value() {
    return List.copyOf(lines);
  }

  /** Reads {@code sslproxy_cert_sign}. */
  static final class Signing extends CertificateLines<SigningLine> {
    Signing(Reading reading) {
      super(reading);
    }

    @Override
    @Nullable SigningLine line(Line line, String word, AclList condition) {
      for (CertificateSigning signing : CertificateSigning.values()) {
        if (signing.word().equals(word)) {
          return new SigningLine(signing, condition);
        }
      }
      report.error(line, word, "signTrusted, signUntrusted or signSelf, then ACLs", "");
      return null;
    }
  }

  /** Reads {@code sslproxy_cert_adapt}. */
  static final class Adapting extends CertificateLines<AdaptationLine> {
    Adapting(Reading reading) {
      super(reading);
    }

    @Override
    @Nullable AdaptationLine line(Line line, String word, AclList condition) {
      int brace = word.indexOf('{');
      String kind = brace < 0 ? word : word.substring(0, brace);
      String name =
          brace < 0 ? null : word.substring(brace + 1, Math.max(brace + 1, word.length() - 1));
      for (Adaptation change : Adaptation.values()) {
        if (change.word().equals(kind) && isName(change, word, name)) {
          return new AdaptationLine(change, name, condition);
        }
      }
      String form = "setValidAfter, setValidBefore or setCommonName[{NAME}], then ACLs";
      report.error(line, word, form, "NAME has 1 to " + MOST_COMMON_NAME + " letters");
      return null;
    }

    private static boolean isName(Adaptation change, String word, @Nullable String name) {
      return name == null
          || (change == Adaptation.COMMON_NAME
              && word.endsWith("}")
              && name.matches("[A-Za-z0-9._:*-]{1," + MOST_COMMON_NAME + "}"));
    }
  }
}
