package io.loligo.server.exchange.settings.programs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.ExternalAcl;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.accesslog.LogFormatException;
import io.loligo.server.helper.Escaping;
import io.loligo.server.record.ExchangeRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The form of the questions of an {@code external_acl_type}. Immutable. */
public final class ExternalForm {
  /** Names of old versions of Squid. */
  private static final Map<String, String> OLD =
      Map.ofEntries(
          Map.entry("LOGIN", "ul"),
          Map.entry("SRC", ">a"),
          Map.entry("SRCPORT", ">p"),
          Map.entry("SRCEUI48", ">eui"),
          Map.entry("SRCEUI64", ">eui"),
          Map.entry("DST", ">rd"),
          Map.entry("METHOD", ">rm"),
          Map.entry("URI", ">ru"),
          Map.entry("PATH", ">rp"),
          Map.entry("PORT", ">rP"),
          Map.entry("PROTO", ">rs"),
          Map.entry("MYADDR", "la"),
          Map.entry("MYPORT", "lp"),
          Map.entry("IDENT", "ui"),
          Map.entry("EXT_USER", "ue"),
          Map.entry("EXT_LOG", "ea"),
          Map.entry("EXT_TAG", "et"),
          Map.entry("TAG", "et"));

  private static final String WHOLE = "USER_CERT";
  private static final String CHAIN = "USER_CERTCHAIN";
  private static final String SUBJECT = "USER_CERT_";
  private static final String ISSUER = "USER_CA_CERT_";
  private static final String OLD_ISSUER = "CA_CERT_";

  /** One word of a question. */
  private interface Part {
    String text(ExternalAcl acl, AclInput request, ExchangeRecord record);
  }

  private final List<Part> parts;
  private final boolean asksForUser;

  private ExternalForm(List<Part> parts, boolean asksForUser) {
    this.parts = List.copyOf(parts);
    this.asksForUser = asksForUser;
  }

  /**
   * Reads {@code words}, each of which begins with a percent sign.
   *
   * @param shell whether arguments are quoted as words of a shell, as Squid 2.5 did
   * @throws LogFormatException names the code that is not known
   */
  static ExternalForm of(List<String> words, boolean shell) {
    List<Part> parts = new ArrayList<>();
    boolean login = false;
    boolean data = false;
    for (String word : words) {
      String code = word.substring(1);
      String bare = code.replaceFirst("^[\"\\[#/']", "");
      if (bare.equals("DATA")) {
        boolean whole = !bare.equals(code);
        parts.add((acl, request, record) -> data(acl, whole, shell));
        data = true;
      } else if (code.equals("ACL")) {
        parts.add((acl, request, record) -> acl.name());
      } else if (code.equals("%")) {
        parts.add((acl, request, record) -> "%");
      } else if (isCertificate(code)) {
        parts.add(certificate(code));
      } else {
        login |= bare.equals("LOGIN") || bare.equals("ul");
        parts.add(format(logCode(code, bare)));
      }
    }
    if (!data) {
      parts.add((acl, request, record) -> data(acl, false, shell));
    }
    return new ExternalForm(parts, login);
  }

  private static Part format(String text) {
    LogFormat format = LogFormat.compile(text);
    return (acl, request, record) -> new String(format.bytes(record), ISO_8859_1);
  }

  private static String logCode(String code, String bare) {
    String mode = code.substring(0, code.length() - bare.length());
    if (bare.startsWith(">{")) {
      return "%" + mode + ">ha" + bare.substring(1);
    }
    if (bare.startsWith("<{")) {
      return "%" + mode + "<h" + bare.substring(1);
    }
    if (bare.startsWith("{") && bare.endsWith("}")) {
      return "%" + mode + ">ha" + bare;
    }
    return "%" + mode + OLD.getOrDefault(bare, bare);
  }

  private static boolean isCertificate(String code) {
    return code.equals(WHOLE)
        || code.equals(CHAIN)
        || code.startsWith(SUBJECT)
        || code.startsWith(ISSUER)
        || code.startsWith(OLD_ISSUER);
  }

  private static Part certificate(String code) {
    if (code.equals(WHOLE) || code.equals(CHAIN)) {
      boolean chain = code.equals(CHAIN);
      return (acl, request, record) -> word(request.certificatePem(chain));
    }
    boolean issuer = !code.startsWith(SUBJECT);
    String attribute = code.substring(code.indexOf("CERT_") + 5);
    return (acl, request, record) -> word(request.certificateName(issuer, attribute));
  }

  private static String word(@Nullable String value) {
    return value == null || value.isEmpty() ? "-" : Escaping.word(value);
  }

  private static String data(ExternalAcl acl, boolean whole, boolean shell) {
    if (acl.arguments().isEmpty()) {
      return "-";
    }
    if (whole) {
      return Escaping.word(String.join(" ", acl.arguments()));
    }
    List<String> words = new ArrayList<>();
    for (String argument : acl.arguments()) {
      words.add(shell ? shellWord(argument) : Escaping.word(argument));
    }
    return String.join(" ", words);
  }

  private static String shellWord(String word) {
    String plain = word.replace("\\", "\\\\").replace("\"", "\\\"");
    return plain.indexOf(' ') < 0 ? plain : '"' + plain + '"';
  }

  /** Whether it contains the user's login. */
  public boolean asksForUser() {
    return asksForUser;
  }

  /** The question of {@code acl} about {@code request}; each character is one byte. */
  public String question(ExternalAcl acl, AclInput request, ExchangeRecord record) {
    StringBuilder question = new StringBuilder();
    for (Part part : parts) {
      if (question.length() > 0) {
        question.append(' ');
      }
      question.append(part.text(acl, request, record));
    }
    return question.toString();
  }
}
