package io.loligo.server.ldap;

import com.unboundid.ldap.sdk.DN;
import io.loligo.server.helper.Escaping;
import io.loligo.server.helper.InsideProgram.Answering;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code ext_ldap_group_acl}. Immutable.
 *
 * @param base {@code -b}: where groups are
 * @param filter {@code -f}: {@code %u} or {@code %v} is the user, {@code %g} or {@code %a} the
 *     group
 * @param users how the entry of a user is found; null: the filter has the name itself
 * @param name what belongs to the name of a user
 */
record GroupCommand(
    LdapDirectory directory, String base, String filter, @Nullable Users users, NameParts name)
    implements LdapCommand {
  /**
   * How the entry of a user is found.
   *
   * @param base {@code -B}, or that of groups
   * @param filter {@code -F}, in which {@code %s} is the user; null: the entry is below the base
   * @param attribute {@code -u}, which names such an entry; null: there is a filter
   */
  record Users(String base, @Nullable String filter, @Nullable String attribute) {}

  /**
   * Parts of questions.
   *
   * @param stripsDomain {@code -S}: the name without what is before the last backslash
   * @param stripsRealm {@code -K}: the name without what is behind the first {@code @}
   * @param hasBase {@code -g}: the first argument is put before each base
   */
  record NameParts(boolean stripsDomain, boolean stripsRealm, boolean hasBase) {
    String of(String login) {
      String name = login;
      if (stripsDomain) {
        int at = login.lastIndexOf('\\');
        at = at < 0 ? login.lastIndexOf('/') : at;
        at = at < 0 ? login.lastIndexOf('+') : at;
        name = at >= 0 && at + 1 < login.length() ? login.substring(at + 1) : login;
      }
      int at = stripsRealm ? name.indexOf('@') : -1;
      return at < 0 ? name : name.substring(0, at);
    }
  }

  static GroupCommand read(LdapOptions options, List<String> words) throws LdapOptionException {
    options.read(words, "gSK", "BFu");
    String base = options.neededName('b');
    String filter = options.text('f');
    if (filter == null) {
      throw new LdapOptionException("no -f", "give a filter such as (&(cn=%g)(memberUid=%u))");
    }
    LdapOptions.check('f', filter, filled(filter, "user", "group"));
    String userFilter = options.text('F');
    if (userFilter != null) {
      LdapOptions.check('F', userFilter, userFilter.replace("%s", "user"));
    }
    String userBase = options.name('B');
    String attribute = options.text('u');
    boolean byEntry = userFilter != null || attribute != null;
    return new GroupCommand(
        options.directory(),
        base,
        filter,
        byEntry ? new Users(userBase == null ? base : userBase, userFilter, attribute) : null,
        new NameParts(options.has('S'), options.has('K'), options.has('g')));
  }

  /** The filter with values; as in Squid, a backslash before a character is removed. */
  private static String filled(String filter, String user, String group)
      throws LdapOptionException {
    StringBuilder text = new StringBuilder(filter.length() + user.length() + group.length());
    for (int i = 0; i < filter.length(); i++) {
      char c = filter.charAt(i);
      char next = i + 1 < filter.length() ? filter.charAt(i + 1) : 0;
      if (c == '%') {
        switch (next) {
          case 'u', 'v' -> text.append(user);
          case 'g', 'a' -> text.append(group);
          default ->
              throw new LdapOptionException(
                  "-f " + filter, "write %u for the user and %g for the group, and no other %");
        }
        i++;
      } else if (c == '\\') {
        text.append(next == 0 ? "" : String.valueOf(next));
        i++;
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  @Override
  public Answering on(LdapSession session) {
    return new LookUps(session);
  }

  /** Looks groups up. Confined to the thread of one child. */
  private final class LookUps implements Answering {
    private final LdapSession session;

    LookUps(LdapSession session) {
      this.session = session;
    }

    @Override
    public String answer(String question) {
      List<String> words =
          List.of(question.trim().split(" +", -1)).stream().map(Escaping::plain).toList();
      int first = GroupCommand.this.name.hasBase() ? 2 : 1;
      String extension = first == 2 && words.size() > 1 ? words.get(1) : "";
      String login = GroupCommand.this.name.of(words.get(0));
      if (login.isEmpty()) {
        return broken("Invalid request. No Username");
      }
      if (first > words.size() || (!extension.isEmpty() && !DN.isValidDN(extension))) {
        return broken("Invalid Request. Extension DN required");
      }
      try {
        return isInOne(words.subList(first, words.size()), login, extension) ? "OK" : "ERR";
      } catch (LdapFailure | LdapOptionException e) {
        return broken(String.valueOf(e.getMessage()));
      }
    }

    private boolean isInOne(List<String> groups, String login, String extension)
        throws LdapFailure, LdapOptionException {
      String user = groups.isEmpty() ? null : member(login, extension);
      if (user == null) {
        return false;
      }
      for (String group : groups) {
        String text = filled(filter, LdapText.inFilter(user), LdapText.inFilter(group));
        if (session.find(below(base, extension), text) != null) {
          return true;
        }
      }
      return false;
    }

    /** The user as a group has it, each character one byte; null: there is no such user. */
    private @Nullable String member(String login, String extension) throws LdapFailure {
      Users by = users;
      if (by == null) {
        return login;
      }
      String userBase = by.base();
      String userFilter = by.filter();
      if (userFilter == null) {
        return by.attribute() + "=" + LdapText.inName(login) + "," + below(userBase, extension);
      }
      return session.find(
          below(userBase, extension), userFilter.replace("%s", LdapText.inFilter(login)));
    }

    private static String below(String base, String extension) {
      return extension.isEmpty() ? base : extension + "," + base;
    }

    private static String broken(String why) {
      return "BH " + Escaping.pair("message", why);
    }

    @Override
    public void close() {
      session.close();
    }
  }
}
