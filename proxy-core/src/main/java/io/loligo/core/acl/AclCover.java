package io.loligo.core.acl;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells which ACLs match whenever others do. It compares values and never guesses: where it says
 * yes, no request exists that shows the opposite. Confined to one thread.
 */
public final class AclCover {
  private final Acls acls;
  private final Map<String, AclValues> values = new HashMap<>();

  /** Compares ACLs of {@code acls}, whose lines are all read. */
  public AclCover(Acls acls) {
    this.acls = acls;
  }

  /** Whether a line of the terms {@code wide} matches whenever one of {@code narrow} does. */
  public boolean covers(List<String> wide, List<String> narrow) {
    return isDecidable(wide)
        && isDecidable(narrow)
        && wide.stream()
            .allMatch(term -> isAll(term) || narrow.stream().anyMatch(one -> implies(one, term)));
  }

  /** Whether {@code terms} match every request. */
  public boolean matchesAll(List<String> terms) {
    return isDecidable(terms) && terms.stream().allMatch(this::isAll);
  }

  /** Two of {@code terms} that no request matches both, or null. */
  public @Nullable List<String> contradiction(List<String> terms) {
    for (String one : terms) {
      for (String other : terms) {
        if (!one.startsWith("!")
            && other.startsWith("!")
            && isDecidable(terms)
            && (isAll(Acls.bare(other)) || implies(one, Acls.bare(other)))) {
          return List.of(one, other);
        }
      }
    }
    return null;
  }

  /**
   * Pairs of values of {@code dstdomain} ACL {@code name}: a domain, and a value that it contains.
   * Empty for other types.
   */
  public List<List<String>> hiddenNames(String name) {
    NamedAcl acl = acls.named(name);
    if (acl == null || acl.type() != AclType.DSTDOMAIN) {
      return List.of();
    }
    Set<String> names = values(acl).texts();
    return names.stream().map(one -> hiding(one, names)).filter(pair -> !pair.isEmpty()).toList();
  }

  private static List<String> hiding(String name, Set<String> names) {
    String host = name.startsWith(".") ? name.substring(1) : name;
    if (!name.startsWith(".") && names.contains("." + name)) {
      return List.of("." + name, name);
    }
    for (int dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      if (names.contains(host.substring(dot))) {
        return List.of(host.substring(dot), name);
      }
    }
    return List.of();
  }

  private boolean isDecidable(List<String> terms) {
    return terms.stream()
        .map(Acls::bare)
        .allMatch(name -> acls.named(name) != null && !acls.isUndecidable(name));
  }

  private boolean isAll(String term) {
    NamedAcl acl = acls.named(Acls.bare(term));
    return acl != null
        && !term.startsWith("!")
        && acl.type() == AclType.SRC
        && values(acl).addresses().isAll();
  }

  /** Whether {@code wide} holds for every request for which {@code narrow} holds. */
  private boolean implies(String narrow, String wide) {
    boolean negated = narrow.startsWith("!");
    if (negated != wide.startsWith("!")) {
      return false;
    }
    NamedAcl one = acls.named(Acls.bare(narrow));
    NamedAcl other = acls.named(Acls.bare(wide));
    return one != null && other != null && (negated ? isIn(other, one) : isIn(one, other));
  }

  private boolean isIn(NamedAcl narrow, NamedAcl wide) {
    if (narrow == wide) {
      // two evaluations of these may differ
      return !acls.reaches(narrow.name(), AclType.RANDOM)
          && !acls.reaches(narrow.name(), AclType.MAX_USER_IP);
    }
    if (narrow.type() == AclType.ANY_OF) {
      return narrow.groups().stream()
          .allMatch(line -> line.stream().allMatch(term -> implies(term, wide.name())));
    }
    if (narrow.type() == AclType.ALL_OF) {
      return narrow.groups().stream()
          .allMatch(line -> line.stream().anyMatch(term -> implies(term, wide.name())));
    }
    if (wide.type() == AclType.ANY_OF) {
      return wide.groups().stream()
          .anyMatch(line -> line.stream().anyMatch(term -> implies(narrow.name(), term)));
    }
    if (wide.type() == AclType.ALL_OF) {
      return wide.groups().stream()
          .anyMatch(line -> line.stream().allMatch(term -> implies(narrow.name(), term)));
    }
    return narrow.type() == wide.type()
        ? isInSameType(values(narrow), values(wide), narrow.type())
        : isUser(narrow) && isUser(wide) && values(wide).anyUser();
  }

  private static boolean isUser(NamedAcl acl) {
    return acl.type() == AclType.PROXY_AUTH || acl.type() == AclType.PROXY_AUTH_REGEX;
  }

  private static boolean isInSameType(AclValues narrow, AclValues wide, AclType type) {
    boolean texts = narrow.mode().equals(wide.mode()) && wide.texts().containsAll(narrow.texts());
    boolean lookups = wide.looksUpNames() || !narrow.looksUpNames();
    return switch (type) {
      case SRC, LOCALIP -> wide.addresses().containsAll(narrow.addresses());
      case DST ->
          narrow.looksNothingUp() == wide.looksNothingUp()
              && wide.addresses().containsAll(narrow.addresses());
      case PORT, LOCALPORT, HTTP_STATUS -> wide.numbers().containsAll(narrow.numbers());
      case DSTDOMAIN -> lookups && coversNames(narrow.texts(), wide.texts());
      case DSTDOM_REGEX -> lookups && texts;
      case PROXY_AUTH -> wide.anyUser() || (!narrow.anyUser() && texts);
      case MAXCONN -> wide.most() >= 0 && wide.most() <= narrow.most();
      case METHOD,
          PROTO,
          MYPORTNAME,
          URL_REGEX,
          URLPATH_REGEX,
          BROWSER,
          REFERER_REGEX,
          REQ_HEADER,
          REQ_MIME_TYPE,
          REP_HEADER,
          REP_MIME_TYPE,
          PROXY_AUTH_REGEX,
          USER_CERT,
          CA_CERT,
          TIME ->
          texts;
      default -> false;
    };
  }

  private static boolean coversNames(Set<String> narrow, Set<String> wide) {
    DomainSet set = new DomainSet(wide);
    return narrow.stream().allMatch(set::covers);
  }

  private AclValues values(NamedAcl acl) {
    return values.computeIfAbsent(acl.name().toLowerCase(Locale.ROOT), name -> acl.compared());
  }
}
