package io.loligo.core.acl;

import com.google.re2j.Pattern;
import io.loligo.core.message.IpText;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes the condition of an ACL whose lines have been read. Stateless; conditions are immutable.
 */
final class AclConditions {
  private AclConditions() {}

  /** The condition of all values of {@code acl}. */
  static Condition of(NamedAcl acl, Acls acls) {
    Pattern[] patterns = acl.expressions.toArray(new Pattern[0]);
    String[] texts = acl.words.toArray(new String[0]);
    AddressSet set = acl.addresses.build();
    NumberRanges numbers = new NumberRanges(acl.ranges);
    return switch (acl.type) {
      case SRC -> (in, to) -> Condition.of(set.contains(in.clientAddress()));
      case LOCALIP -> (in, to) -> Condition.of(set.contains(in.localAddress()));
      case DST -> acl.looksNothingUp ? literal(set) : new Destination(set);
      case RANDOM -> {
        double limit = acl.chance;
        yield (in, to) -> Condition.of(Math.random() < limit);
      }
      case PORT -> (in, to) -> Condition.of(numbers.contains(in.port()));
      case LOCALPORT -> (in, to) -> Condition.of(numbers.contains(in.localPort()));
      case HTTP_STATUS -> (in, to) -> Condition.of(numbers.contains(in.replyStatus()));
      case DSTDOMAIN -> {
        DomainSet domains = new DomainSet(acl.words);
        yield new HostCondition(domains::contains, acl.looksUpNames);
      }
      case METHOD -> (in, to) -> Condition.of(isMethod(texts, in.method()));
      case PROTO -> (in, to) -> Condition.of(isOneOf(texts, in.scheme()));
      case USER_CERT -> certificateName(texts, false, acl.field);
      case CA_CERT -> certificateName(texts, true, acl.field);
      case MYPORTNAME -> (in, to) -> Condition.of(isOneOf(texts, in.portName()));
      case SSL_ERROR -> (in, to) -> Condition.of(isAnyOf(texts, in.certificateFaults()));
      case SSL_SERVER_NAME -> {
        DomainSet domains = new DomainSet(acl.words);
        yield new ServerNameCondition(acl.source, domains::contains);
      }
      case SSL_SERVER_NAME_REGEX ->
          new ServerNameCondition(acl.source, server -> found(patterns, server));
      case AT_STEP ->
          // a request that no line of ssl_bump is asked about is in the first step, as in Squid
          (in, to) -> Condition.of(isOneOf(texts, "SslBump" + Math.max(1, in.bumpStep())));
      case CONNECTIONS_ENCRYPTED -> (in, to) -> Condition.of(in.isEncrypted());
      case TRANSACTION_INITIATOR ->
          (in, to) ->
              Condition.of(
                  isOneOf(texts, in.isOfClient() ? "client" : "internal") || isOneOf(texts, "all"));
      case HAS ->
          (in, to) ->
              Condition.of(
                  isOneOf(texts, "request")
                      || isOneOf(texts, "ALE")
                      || (isOneOf(texts, "response") && in.replyStatus() > 0));
      case DSTDOM_REGEX -> new HostCondition(host -> found(patterns, host), acl.looksUpNames);
      case URL_REGEX -> (in, to) -> Condition.of(found(patterns, PercentDecoding.of(in.url())));
      case URLPATH_REGEX ->
          (in, to) -> Condition.of(found(patterns, PercentDecoding.of(in.urlPath())));
      case BROWSER -> requestField(patterns, "User-Agent");
      case REFERER_REGEX -> requestField(patterns, "Referer");
      case REQ_MIME_TYPE -> requestField(patterns, "Content-Type");
      case REQ_HEADER -> requestField(patterns, acl.field);
      case REP_MIME_TYPE -> replyField(patterns, "Content-Type");
      case REP_HEADER -> replyField(patterns, acl.field);
      case TIME -> {
        WeekTimes times = new WeekTimes(List.copyOf(acl.spans), acls.zone());
        yield (in, to) -> Condition.of(times.contains(in.nowMillis()));
      }
      case MAXCONN -> {
        int limit = acl.most;
        yield (in, to) -> Condition.of(limit >= 0 && in.clientConnections() > limit);
      }
      case PROXY_AUTH ->
          acl.anyUser ? UserCondition.ofAll() : UserCondition.ofNames(acl.words, acl.ignoresCase);
      case PROXY_AUTH_REGEX -> UserCondition.ofName(user -> found(patterns, user));
      case MAX_USER_IP -> UserCondition.ofAddresses(acl.most, acl.strict);
      case EXT_USER -> {
        Predicate<String> named = UserCondition.named(acl.words, acl.ignoresCase);
        boolean any = acl.anyUser;
        yield (in, to) -> {
          String user = in.externalUser();
          return Condition.of(user != null && (any || named.test(user)));
        };
      }
      case EXT_USER_REGEX ->
          (in, to) -> {
            String user = in.externalUser();
            return Condition.of(user != null && found(patterns, user));
          };
      case TAG ->
          (in, to) -> {
            String tag = in.externalTag();
            return Condition.of(tag != null && isOneOf(texts, tag));
          };
      case SRCDOMAIN -> {
        DomainSet domains = new DomainSet(acl.words);
        yield new SourceNameCondition(domains::contains);
      }
      case SRCDOM_REGEX -> new SourceNameCondition(name -> found(patterns, name));
      case ARP ->
          (in, to) -> {
            String mac = in.clientHardware();
            return mac == null ? Condition.NEEDS_CLIENT : Condition.of(isOneOf(texts, mac));
          };
      case CLIENTSIDE_MARK, CLIENT_CONNECTION_MARK -> {
        List<MarkMask> marks = List.copyOf(acl.marks);
        yield (in, to) -> {
          long mark = in.connectionMark();
          return mark == AclInput.UNREAD_MARK
              ? Condition.NEEDS_CLIENT
              : Condition.of(marks.stream().anyMatch(one -> one.matches(mark)));
        };
      }
      case EUI64 ->
          (in, to) -> {
            String inside = HardwareAddress.inside(in.clientAddress());
            return Condition.of(inside != null && isOneOf(texts, inside));
          };
      case URLLOGIN ->
          (in, to) -> {
            String login = in.urlLogin();
            return Condition.of(login != null && found(patterns, PercentDecoding.of(login)));
          };
      case ADAPTATION_SERVICE ->
          (in, to) -> {
            boolean adapted = false;
            for (String service : texts) {
              adapted |= in.isAdaptedBy(service);
            }
            return Condition.of(adapted);
          };
      case PEERNAME ->
          (in, to) -> {
            String peer = in.peerName();
            return Condition.of(peer != null && isOneOf(texts, peer));
          };
      case PEERNAME_REGEX ->
          (in, to) -> {
            String peer = in.peerName();
            return Condition.of(peer != null && found(patterns, peer));
          };
      case HIER_CODE -> (in, to) -> Condition.of(isOneOf(texts, in.hierarchyCode()));
      case SQUID_ERROR ->
          (in, to) -> {
            String page = in.errorPage();
            return Condition.of(page != null && isOneOf(texts, page));
          };
      case SERVER_CERT_FINGERPRINT ->
          (in, to) -> {
            String fingerprint = in.serverFingerprint();
            return Condition.of(fingerprint != null && isOneOf(texts, fingerprint));
          };
      case ADDED -> acl.added;
      case OTHER_SERVER_NAME ->
          (in, to) -> Condition.of(!in.requestedServerName().equals(in.host()));
      case NOTE -> new NoteCondition(acl.field, acl.words, acl.delimiters);
      case ANNOTATE_TRANSACTION -> {
        List<Annotation> annotations = List.copyOf(acl.annotations);
        yield (in, to) -> {
          in.notes(Annotation.addAll(annotations, in.notes()));
          return Condition.YES;
        };
      }
      case ANNOTATE_CLIENT -> {
        List<Annotation> annotations = List.copyOf(acl.annotations);
        yield (in, to) -> {
          Notes held = in.clientNotes();
          if (held == null) {
            return Condition.NO;
          }
          in.clientNotes(Annotation.addAll(annotations, held));
          in.notes(Annotation.addAll(annotations, in.notes()));
          return Condition.YES;
        };
      }
      case ANY_OF -> Groups.any(acl.groups, acls);
      case ALL_OF -> Groups.all(acl.groups, acls);
      case EXTERNAL -> {
        ExternalAcl asked = acl.external;
        yield asked == null
            ? (in, to) -> Condition.NO
            : new HelperCondition(asked, acls.externalAsksForUser(asked.type()));
      }
      default -> (in, to) -> Condition.NO;
    };
  }

  private static Condition literal(AddressSet set) {
    return (in, to) -> {
      byte[] address = IpText.parse(in.host());
      return Condition.of(address != null && set.contains(address));
    };
  }

  private static boolean isOneOf(String[] texts, String text) {
    for (String one : texts) {
      if (one.equals(text)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isAnyOf(String[] texts, List<String> values) {
    for (String value : values) {
      if (isOneOf(texts, value)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Methods are case-sensitive (RFC 9110 9.1), but Squid accepts known ones in any case, and a rule
   * that denies POST would let {@code post} through to origins that do so too.
   */
  private static boolean isMethod(String[] texts, String method) {
    for (String one : texts) {
      if (AclWords.METHODS.contains(one) ? one.equalsIgnoreCase(method) : one.equals(method)) {
        return true;
      }
    }
    return false;
  }

  private static boolean found(Pattern[] patterns, String text) {
    for (Pattern pattern : patterns) {
      if (pattern.matcher(text).find()) {
        return true;
      }
    }
    return false;
  }

  private static Condition requestField(Pattern[] patterns, String name) {
    return (in, to) -> {
      String value = in.requestFields().joined(name);
      return Condition.of(value != null && found(patterns, value));
    };
  }

  private static Condition replyField(Pattern[] patterns, String name) {
    return (in, to) -> {
      String value = in.replyFields() == null ? null : in.replyFields().joined(name);
      return Condition.of(value != null && found(patterns, value));
    };
  }

  private static Condition certificateName(String[] texts, boolean issuer, String attribute) {
    return (in, to) -> {
      String value = in.certificateName(issuer, attribute);
      return Condition.of(value != null && isOneOf(texts, value));
    };
  }

  /** Any of the destination's addresses, or the given one. */
  private record Destination(AddressSet set) implements Condition {
    @Override
    public int test(AclInput request, byte @Nullable [] destination) {
      if (destination != null) {
        return Condition.of(set.contains(destination));
      }
      List<byte[]> addresses = request.destinationAddresses();
      if (addresses == null) {
        return NEEDS_DESTINATION;
      }
      for (int i = 0; i < addresses.size(); i++) {
        if (set.contains(addresses.get(i))) {
          return YES;
        }
      }
      return NO;
    }
  }
}
