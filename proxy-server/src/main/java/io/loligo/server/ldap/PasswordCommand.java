package io.loligo.server.ldap;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.helper.Escaping;
import io.loligo.server.helper.InsideProgram.Answering;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code basic_ldap_auth}. Immutable.
 *
 * @param base {@code -b}
 * @param filter {@code -f}, in which {@code %s} stands for the user; null: the user's entry is
 *     directly below the base
 * @param nameAttribute {@code -u}: the attribute that names such an entry
 * @param passwordAttribute {@code -U}: the attribute to compare with; null: the user logs in
 */
record PasswordCommand(
    LdapDirectory directory,
    String base,
    @Nullable String filter,
    String nameAttribute,
    @Nullable String passwordAttribute)
    implements LdapCommand {
  private static final int MOST_USERS = 15;

  static PasswordCommand read(LdapOptions options, List<String> words) throws LdapOptionException {
    options.read(words, "O", "uU");
    String base = options.neededName('b');
    String filter = options.text('f');
    if (filter != null) {
      LdapOptions.check('f', filter, filled(filter, "user"));
    }
    String attribute = options.text('u');
    return new PasswordCommand(
        options.directory(),
        base,
        filter,
        attribute == null ? "uid" : attribute,
        options.text('U'));
  }

  /** The filter with {@code value} for each {@code %s}; {@code %%} is a percent sign. */
  private static String filled(String filter, String value) throws LdapOptionException {
    StringBuilder text = new StringBuilder(filter.length() + value.length());
    int users = 0;
    for (int i = 0; i < filter.length(); i++) {
      char c = filter.charAt(i);
      char next = i + 1 < filter.length() ? filter.charAt(i + 1) : ' ';
      if (c != '%') {
        text.append(c);
      } else if (next == '%') {
        text.append('%');
        i++;
      } else if (next == 's' && users < MOST_USERS) {
        text.append(value);
        users++;
        i++;
      } else {
        throw new LdapOptionException(
            "-f " + filter,
            "write %s for the user, at most " + MOST_USERS + " times, and %% for %");
      }
    }
    return text.toString();
  }

  @Override
  public Answering on(LdapSession session) {
    return new Checks(session);
  }

  /** Checks passwords. Confined to the thread of one child. */
  private final class Checks implements Answering {
    private final LdapSession session;

    Checks(LdapSession session) {
      this.session = session;
    }

    @Override
    public String answer(String question) {
      int blank = question.indexOf(' ');
      String user = Escaping.plain(blank < 0 ? question : question.substring(0, blank));
      String password = blank < 0 ? "" : Escaping.plain(question.substring(blank + 1));
      if (password.isEmpty()) {
        return "ERR " + Escaping.pair("message", "Missing password");
      }
      if (!LdapText.isUserName(user)) {
        return "ERR " + Escaping.pair("message", "Invalid username");
      }
      try {
        return isRight(user, password) ? "OK" : "ERR";
      } catch (LdapFailure | LdapOptionException e) {
        return "BH " + Escaping.pair("message", String.valueOf(e.getMessage()));
      }
    }

    private boolean isRight(String user, String password) throws LdapFailure, LdapOptionException {
      String entry =
          filter == null
              ? nameAttribute + "=" + LdapText.inName(user) + "," + base
              : session.find(base, filled(filter, LdapText.inFilter(user)));
      if (entry == null) {
        return false;
      }
      byte[] bytes = password.getBytes(ISO_8859_1);
      return passwordAttribute == null
          ? session.logsIn(entry, bytes)
          : session.has(entry, passwordAttribute, bytes);
    }

    @Override
    public void close() {
      session.close();
    }
  }
}
