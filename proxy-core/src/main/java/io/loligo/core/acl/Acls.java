package io.loligo.core.acl;

import io.loligo.core.message.RequestTarget;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ACLs of one configuration while it is read, including the predefined ones, and the compiler
 * of rule lists over them. Confined to one thread; compiled lists are immutable.
 *
 * <p>An ACL whose type has no effect can be declared undecidable. A rule that allows never matches
 * through it; a rule that denies matches as if it held: an undecidable request is refused.
 */
public final class Acls {
  /** Squid's name for requests to the cache manager. */
  private static final String MANAGER = "manager";

  private static final String MANAGER_PATH = "/squid-internal-mgr/";

  // by names in lower case: names are case-insensitive, as in Squid
  private final Map<String, NamedAcl> named = new LinkedHashMap<>();
  private final Map<String, Condition> bound = new LinkedHashMap<>();
  private final Map<String, Boolean> externalTypes = new LinkedHashMap<>();
  private final Set<ExternalAcl> laterExternals = new LinkedHashSet<>();
  private boolean looksUpClientsLater;
  private boolean asksForUserLater;
  private final Set<String> undecidable = new LinkedHashSet<>();
  private final HostResolver resolver;
  private final Supplier<ZoneId> zone;

  /** Starts with the predefined ACLs. */
  public Acls(HostResolver resolver, ZoneId zone) {
    this(resolver, () -> zone);
  }

  /**
   * The same, for a zone that is slow to know: of use for {@code time} ACLs only.
   *
   * @param zone asked for each of them
   */
  public Acls(HostResolver resolver, Supplier<ZoneId> zone) {
    this.resolver = resolver;
    this.zone = zone;
    predefine("all", AclType.SRC, "all");
    predefine("localhost", AclType.SRC, "127.0.0.1/32", "::1");
    predefine("to_localhost", AclType.DST, "127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128");
    predefine("to_linklocal", AclType.DST, "169.254.0.0/16", "fe80::/10");
    predefine("CONNECT", AclType.METHOD, "CONNECT");
    fault("ssl::certHasExpired", "CERT_HAS_EXPIRED");
    fault("ssl::certNotYetValid", "CERT_NOT_YET_VALID");
    predefine("ssl::certDomainMismatch", AclType.SSL_ERROR, "SQUID_X509_V_ERR_DOMAIN_MISMATCH");
    fault(
        "ssl::certUntrusted",
        "INVALID_CA",
        "SELF_SIGNED_CERT_IN_CHAIN",
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        "UNABLE_TO_GET_ISSUER_CERT",
        "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
        "CERT_UNTRUSTED");
    fault("ssl::certSelfSigned", "DEPTH_ZERO_SELF_SIGNED_CERT");
    named.put(MANAGER, new NamedAcl(MANAGER, AclType.URL_REGEX));
    bound.put(MANAGER, (in, to) -> Condition.of(isForManager(in)));
  }

  private static boolean isForManager(AclInput request) {
    return PercentDecoding.of(request.urlPath()).startsWith(MANAGER_PATH)
        || request.scheme().equals(RequestTarget.MANAGER_SCHEME);
  }

  private void predefine(String name, AclType type, String... values) {
    define(name, type, List.of(values));
  }

  private void fault(String name, String... faults) {
    define(name, AclType.SSL_ERROR, Arrays.stream(faults).map(one -> "X509_V_ERR_" + one).toList());
  }

  HostResolver resolver() {
    return resolver;
  }

  ZoneId zone() {
    return zone.get();
  }

  /** Whether {@code name} is defined or predefined. */
  public boolean has(String name) {
    return named.containsKey(key(name)) || undecidable.contains(key(name));
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** The type under which {@code name} is defined, or null. */
  public @Nullable AclType typeOf(String name) {
    NamedAcl acl = named.get(key(name));
    return acl == null ? null : acl.type();
  }

  /** Whether {@code name} is Squid's manager ACL, which files of old versions define themselves. */
  public static boolean isBuiltIn(String name) {
    return name.equalsIgnoreCase(MANAGER);
  }

  /** Adds the values of one {@code acl} line; returns their problems. */
  public List<AclProblem> define(String name, AclType type, List<String> values) {
    NamedAcl acl = named.computeIfAbsent(key(name), none -> new NamedAcl(name, type));
    List<AclProblem> problems = new ArrayList<>();
    acl.add(values, this, problems);
    return problems;
  }

  /**
   * Lets {@code acl} lines name an {@code external_acl_type}.
   *
   * @param asksForUser whether it asks about the user
   */
  public void defineExternal(String type, boolean asksForUser) {
    externalTypes.put(type, asksForUser);
  }

  /** Whether an {@code external_acl_type} has this name. */
  public boolean hasExternal(String type) {
    return externalTypes.containsKey(type);
  }

  /** Whether the {@code external_acl_type} asks about the user. */
  public boolean externalAsksForUser(String type) {
    return externalTypes.getOrDefault(type, false);
  }

  /**
   * Notes that a list which is evaluated after {@code http_access} names {@code acl}.
   *
   * @param forLog whether the list chooses requests for a log only: for that, no login is checked
   */
  public void usedLater(String acl, boolean forLog) {
    NamedAcl one = named.get(key(acl));
    if (one != null && one.type() == AclType.EXTERNAL && one.external() != null) {
      laterExternals.add(one.external());
    }
    looksUpClientsLater |= one != null && one.type().needsClientLookUp();
    asksForUserLater |= !forLog && one != null && one.type().asksForUser();
    anyMember(
        acl,
        member -> {
          usedLater(member, forLog);
          return false;
        });
  }

  /** The ACLs of helpers that are asked about after {@code http_access}. A new list. */
  public List<ExternalAcl> laterExternals() {
    return List.copyOf(laterExternals);
  }

  /** Whether a list that is evaluated after {@code http_access} asks who the user is. */
  public boolean asksForUserLater() {
    return asksForUserLater
        || laterExternals.stream().anyMatch(acl -> externalAsksForUser(acl.type()));
  }

  /** Whether a list that is evaluated after {@code http_access} looks up facts of clients. */
  public boolean looksUpClientsLater() {
    return looksUpClientsLater;
  }

  /** Whether deciding {@code name} needs a helper. */
  public boolean needsHelper(String name) {
    return reaches(name, AclType.EXTERNAL);
  }

  /** Lets rules name an ACL that cannot be decided. */
  public void declareUndecidable(String name) {
    undecidable.add(key(name));
  }

  /** Whether {@code name} has no value at all, so that it never matches. */
  public boolean isEmpty(String name) {
    NamedAcl acl = named.get(key(name));
    return acl != null && !isBuiltIn(name) && acl.isEmpty();
  }

  /** Whether some ACL names the method PURGE, which enables it. */
  public boolean namesPurge() {
    return named.values().stream()
        .anyMatch(acl -> acl.type() == AclType.METHOD && acl.hasWord("PURGE"));
  }

  /** Whether some ACL has this type. */
  public boolean names(AclType type) {
    return named.values().stream().anyMatch(acl -> acl.type() == type);
  }

  /**
   * The hosts that operators add to the ACLs of type {@code loligo_added}, by the names of these in
   * lower case, in their order. A new map.
   */
  public Map<String, AddedHosts> added() {
    Map<String, AddedHosts> all = new LinkedHashMap<>();
    named.forEach(
        (name, acl) -> {
          if (acl.type() == AclType.ADDED) {
            all.put(name, acl.added);
          }
        });
    return all;
  }

  /** Whether deciding {@code name} needs the response. */
  public boolean needsReply(String name) {
    return reaches(name, AclType.REP_HEADER)
        || reaches(name, AclType.REP_MIME_TYPE)
        || reaches(name, AclType.HTTP_STATUS)
        || reaches(name, AclType.SQUID_ERROR);
  }

  /** Whether {@code name} asks about a fault of the server's certificate. */
  public boolean needsHandshake(String name) {
    return reaches(name, AclType.SSL_ERROR);
  }

  /** Whether {@code name} asks about the way that the request takes. */
  public boolean needsHop(String name) {
    return reaches(name, AclType.PEERNAME)
        || reaches(name, AclType.PEERNAME_REGEX)
        || reaches(name, AclType.HIER_CODE);
  }

  /** Whether {@code name} asks about the certificate of the server. */
  public boolean needsCertificate(String name) {
    return reaches(name, AclType.SERVER_CERT_FINGERPRINT);
  }

  /** Whether {@code name} asks for the name or the MAC address of the client. */
  public boolean needsClientLookUp(String name) {
    return typed(name, AclType::needsClientLookUp);
  }

  /** Whether deciding {@code name} needs the destination's addresses. */
  public boolean needsDestination(String name) {
    NamedAcl acl = named.get(key(name));
    boolean own = acl != null && acl.type() == AclType.DST && !acl.looksNothingUp();
    return own || anyMember(name, this::needsDestination);
  }

  /** Whether deciding {@code name} needs the user of the request. */
  public boolean asksForUser(String name) {
    return reaches(name, AclType.PROXY_AUTH)
        || reaches(name, AclType.PROXY_AUTH_REGEX)
        || reaches(name, AclType.MAX_USER_IP);
  }

  /** Whether {@code name}, or a helper that it asks, tests who the user is. */
  private boolean testsUser(String name) {
    NamedAcl acl = named.get(key(name));
    ExternalAcl asked = acl == null ? null : acl.external();
    boolean byHelper = asked != null && externalAsksForUser(asked.type());
    return byHelper || asksForUser(name) || anyMember(name, this::testsUser);
  }

  /** Whether {@code name}, or an ACL that it contains, is undecidable. */
  public boolean isUndecidable(String name) {
    return undecidable.contains(key(name)) || anyMember(name, this::isUndecidable);
  }

  /** Whether {@code name} is, or contains, {@code member}. */
  boolean contains(String name, String member) {
    return name.equalsIgnoreCase(member) || anyMember(name, one -> contains(one, member));
  }

  /** The ACL of this name; null: it is not defined, or its type has no effect. */
  @Nullable NamedAcl named(String name) {
    return named.get(key(name));
  }

  /** The ACLs that the lines define, in their order, without the predefined ones. */
  public List<String> names() {
    return named.values().stream().map(NamedAcl::name).toList();
  }

  /** Whether {@code name} has this type, or contains an ACL that has. */
  public boolean reaches(String name, AclType type) {
    return typed(name, type::equals);
  }

  private boolean typed(String name, Predicate<AclType> test) {
    AclType own = typeOf(name);
    return (own != null && test.test(own)) || anyMember(name, member -> typed(member, test));
  }

  /** Adds to {@code types} that of {@code name}, and those of the ACLs that it contains. */
  public void addTypes(String name, Set<AclType> types) {
    AclType own = typeOf(name);
    if (own != null) {
      types.add(own);
    }
    anyMember(
        name,
        member -> {
          addTypes(member, types);
          return false;
        });
  }

  private boolean anyMember(String name, Predicate<String> test) {
    NamedAcl acl = named.get(key(name));
    return acl != null
        && acl.groups().stream().flatMap(List::stream).map(Acls::bare).anyMatch(test);
  }

  /** The name in {@code term}, without the sign that negates it. */
  public static String bare(String term) {
    return term.startsWith("!") ? term.substring(1) : term;
  }

  /** How each term of {@code rule} answers for {@code request}, up to the first that denies. */
  public List<AclTrial> trial(AclRule rule, AclInput request) {
    List<AclTrial> trials = new ArrayList<>();
    for (String term : rule.terms()) {
      String name = bare(term);
      AclTrial.Answer answer =
          isUndecidable(name) || !has(name)
              ? AclTrial.Answer.HAS_NO_EFFECT
              : needsReply(name) && request.replyStatus() == 0
                  ? AclTrial.Answer.NEEDS_RESPONSE
                  : AclTrial.Answer.of(term(term).test(request, null));
      trials.add(new AclTrial(term, answer));
      if (answer == AclTrial.Answer.DOES_NOT_MATCH) {
        break;
      }
    }
    return List.copyOf(trials);
  }

  /** The condition of {@code term}, an ACL name with or without {@code !}. */
  Condition term(String term) {
    String name = key(bare(term));
    Condition condition = bound.get(name);
    if (condition == null) {
      condition = AclConditions.of(Objects.requireNonNull(named.get(name)), this);
      bound.put(name, condition);
    }
    Condition positive = condition;
    return term.startsWith("!") ? new Groups.Not(positive) : positive;
  }

  /**
   * Compiles rules over the present ACLs; all names must be defined.
   *
   * @param ifEmpty the verdict of a list without lines
   * @param allowRestricts whether {@code allow} is the restrictive verdict of this list
   */
  public AclList compile(List<AclRule> rules, AclList ifEmpty, boolean allowRestricts) {
    if (rules.isEmpty()) {
      return ifEmpty;
    }
    List<CompiledAclList.Line> lines = new ArrayList<>();
    boolean needsDestination = false;
    boolean asksForUser = false;
    for (AclRule rule : rules) {
      CompiledAclList.Line line = line(rule, rule.allow() == allowRestricts);
      if (line != null) {
        lines.add(line);
        needsDestination |= rule.terms().stream().map(Acls::bare).anyMatch(this::needsDestination);
        asksForUser |= rule.terms().stream().map(Acls::bare).anyMatch(this::testsUser);
      }
    }
    AclRule last = rules.get(rules.size() - 1);
    AclVerdict otherwise =
        new AclVerdict(
            last.allow() ? AclVerdict.Kind.DENIED : AclVerdict.Kind.ALLOWED,
            "no line matches: the opposite of the last",
            last.source(),
            "");
    return new CompiledAclList(
        lines.toArray(new CompiledAclList.Line[0]), otherwise, needsDestination, asksForUser);
  }

  private CompiledAclList.@Nullable Line line(AclRule rule, boolean restricts) {
    List<Condition> conditions = new ArrayList<>();
    List<Boolean> negated = new ArrayList<>();
    for (String term : rule.terms()) {
      if (!isUndecidable(bare(term))) {
        conditions.add(term(bare(term)));
        negated.add(term.startsWith("!"));
      } else if (!restricts) {
        return null;
      }
    }
    boolean[] not = new boolean[negated.size()];
    for (int i = 0; i < not.length; i++) {
      not[i] = negated.get(i);
    }
    String last = rule.terms().isEmpty() ? "" : bare(rule.terms().get(rule.terms().size() - 1));
    AclVerdict.Kind kind = rule.allow() ? AclVerdict.Kind.ALLOWED : AclVerdict.Kind.DENIED;
    return new CompiledAclList.Line(
        conditions.toArray(new Condition[0]),
        not,
        new AclVerdict(kind, rule.text(), rule.source(), last),
        new AclVerdict(AclVerdict.Kind.NEEDS_DESTINATION, rule.text(), rule.source(), last),
        new AclVerdict(AclVerdict.Kind.NEEDS_NAME, rule.text(), rule.source(), last),
        new AclVerdict(AclVerdict.Kind.NEEDS_LOGIN, rule.text(), rule.source(), last),
        new AclVerdict(AclVerdict.Kind.CHALLENGE, rule.text(), rule.source(), last),
        new AclVerdict(AclVerdict.Kind.NEEDS_HELPER, rule.text(), rule.source(), last),
        new AclVerdict(AclVerdict.Kind.UNDECIDED, rule.text(), rule.source(), last),
        new AclVerdict(AclVerdict.Kind.NEEDS_CLIENT, rule.text(), rule.source(), last));
  }
}
