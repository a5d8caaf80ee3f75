package io.loligo.server.login;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.Reading;
import io.loligo.core.config.TimeWords;
import io.loligo.server.helper.HelperProgram;
import io.loligo.server.ldap.LdapCommand;
import io.loligo.server.ldap.LdapDirectives;
import io.loligo.server.ldap.LdapOptionException;
import io.loligo.server.ldap.LdapProgram;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code auth_param basic} lines. Confined to one thread. */
final class BasicLines extends SchemeLines {
  private String realm = "Squid proxy-caching web server";
  private long ttlSeconds = 7_200;
  private boolean caseSensitive;
  private boolean utf8;

  /** The program, if it is done inside the proxy; null: it is not. */
  private @Nullable LdapCommand ldap;

  BasicLines(Reading reading) {
    super("basic", reading);
  }

  @Override
  boolean own(Line line, String parameter, List<String> words) {
    switch (parameter) {
      case "realm" -> realm = unquoted(String.join(" ", words));
      case "credentialsttl" -> {
        long seconds = TimeWords.seconds(line, words, report());
        ttlSeconds = seconds < 0 ? ttlSeconds : seconds;
      }
      case "casesensitive" -> caseSensitive = flag(line, words);
      case "utf8" -> utf8 = flag(line, words);
      case "keep_alive" -> report().verdict(line, Verdict.WITHOUT_EFFECT, "not for basic");
      default -> {
        return false;
      }
    }
    return true;
  }

  @Override
  String parameters() {
    return ", realm, credentialsttl, casesensitive or utf8";
  }

  @Override
  boolean isNative(List<String> words) {
    return BasicSettings.readsFile(words);
  }

  @Override
  boolean isUsable(Line line, List<String> words) {
    if (words.size() != 2) {
      report().error(line, "", "basic_ncsa_auth and one file", "");
      return false;
    }
    String file = words.get(1);
    String text = file(file);
    if (text == null) {
      report().restricts(line, file, "the file of users cannot be read: " + file);
      return false;
    }
    for (String remark : UserList.of(text).remarks(true)) {
      report().warning(line, "", "", remark);
    }
    return true;
  }

  @Override
  boolean isInside(List<String> words) {
    return isNative(words) || LdapCommand.checksPasswords(words);
  }

  @Override
  boolean isHelper(Line line, List<String> words) {
    ldap = null;
    if (!LdapCommand.checksPasswords(words)) {
      return super.isHelper(line, words);
    }
    try {
      LdapCommand.Read read = LdapCommand.read(words, this::file);
      read.remarks().forEach(remark -> report().warning(line, "", "", remark));
      ldap = read.command();
      return true;
    } catch (LdapOptionException e) {
      report().error(line, "", "options of basic_ldap_auth", e.getMessage() + ": " + e.advice());
      return false;
    }
  }

  @Override
  HelperProgram placed(HelperProgram program) {
    LdapCommand inside = ldap;
    return inside == null
        ? program
        : program.inside(new LdapProgram(inside, reading().value(LdapDirectives.CA_FILE)));
  }

  @Override
  SchemeSettings settings() {
    return new BasicSettings(
        program(),
        source(),
        realm,
        ttlSeconds,
        caseSensitive,
        utf8,
        children().number(),
        children().option("queue-size"),
        extras(),
        helper());
  }
}
