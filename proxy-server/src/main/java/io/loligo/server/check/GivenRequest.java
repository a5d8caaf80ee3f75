package io.loligo.server.check;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.ExternalAcl;
import io.loligo.core.acl.LoginState;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.Fields;
import io.loligo.core.message.IpText;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.request.Identification;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.explain.Question;
import io.loligo.server.explain.QuestionReader;
import io.loligo.server.port.HttpPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as the rules would see it, parsed and identified as one of a client, with the facts
 * that an operator gives in place of name servers, helpers and passwords. Confined to one thread.
 */
final class GivenRequest implements AclInput {
  private final Request request;
  private final Facts facts;
  private final boolean looksUpNames;

  /**
   * What other parties would say. Immutable.
   *
   * @param user who has logged in; empty: nobody has; null: not known
   * @param addresses by host, in lower case
   * @param answers of ACLs that a helper decides, by name of the ACL or of its type
   * @param nowMillis the time
   */
  record Facts(
      @Nullable String user,
      Map<String, List<byte[]>> addresses,
      Map<String, Boolean> answers,
      long nowMillis) {
    /** Nothing is known but that nobody has logged in. */
    static Facts none(long nowMillis) {
      return new Facts("", Map.of(), Map.of(), nowMillis);
    }
  }

  /** Why a request cannot be judged. */
  static final class Unacceptable extends Exception {
    private static final long serialVersionUID = 1;

    Unacceptable(String message) {
      super(message);
    }
  }

  private GivenRequest(Request request, Facts facts, boolean looksUpNames) {
    this.request = request;
    this.facts = facts;
    this.looksUpNames = looksUpNames;
  }

  /**
   * The request of {@code question} at {@code port}.
   *
   * @throws Unacceptable if no rule would be asked, because it is no request
   */
  static GivenRequest of(
      ProxyConfig config, HttpPort port, InetAddress client, Question question, Facts facts)
      throws Unacceptable {
    RequestHead head = new RequestHead();
    RequestTarget target = new RequestTarget();
    QuestionReader reader = new QuestionReader(config);
    ParseFailure failure = null;
    boolean read = reader.read(question, head);
    if (read) {
      failure =
          Identification.identify(
              port,
              null,
              null,
              config.get(AccessDirectives.URL_USERINFO),
              config.get(IdentityDirectives.VISIBLE_HOSTNAME),
              head,
              target);
    } else {
      failure = reader.failure();
    }
    if (!read || failure != null) {
      throw new Unacceptable(
          failure == null ? "no request" : failure.status() + " " + failure.text());
    }
    Request asked =
        Request.asked(
            port,
            new InetSocketAddress(client, 0),
            head,
            reader.contentLength(),
            target,
            facts.nowMillis());
    return new GivenRequest(asked, facts, config.get(AccessDirectives.REVERSE_DNS));
  }

  @Override
  public byte[] clientAddress() {
    return request.clientAddress();
  }

  @Override
  public byte[] localAddress() {
    return request.localAddress();
  }

  @Override
  public int localPort() {
    return request.httpPort().port();
  }

  @Override
  public String portName() {
    return request.portName();
  }

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public String scheme() {
    return request.scheme();
  }

  @Override
  public String host() {
    return request.host();
  }

  @Override
  public int port() {
    return request.port();
  }

  @Override
  public String url() {
    return request.url();
  }

  @Override
  public String urlPath() {
    return request.urlPath();
  }

  @Override
  public Fields requestFields() {
    return request.requestFields();
  }

  @Override
  public @Nullable Fields replyFields() {
    return null;
  }

  @Override
  public int replyStatus() {
    return 0;
  }

  @Override
  public @Nullable String destinationName() {
    byte[] address = IpText.parse(host());
    for (Map.Entry<String, List<byte[]>> one : facts.addresses().entrySet()) {
      if (one.getValue().stream().anyMatch(each -> Arrays.equals(each, address))) {
        return one.getKey();
      }
    }
    return looksUpNames ? null : NO_NAME;
  }

  @Override
  public @Nullable List<byte[]> destinationAddresses() {
    byte[] address = IpText.parse(host());
    return address == null ? facts.addresses().get(host()) : List.of(address);
  }

  @Override
  public boolean isEncrypted() {
    return request.httpPort().tls() != null;
  }

  @Override
  public int clientConnections() {
    return 1;
  }

  @Override
  public ExternalAcl.Answer external(ExternalAcl acl) {
    Boolean given = facts.answers().get(acl.name());
    Boolean answer = given == null ? facts.answers().get(acl.type()) : given;
    if (answer == null) {
      return ExternalAcl.Answer.NEEDS_HELPER;
    }
    return answer ? ExternalAcl.Answer.MATCH : ExternalAcl.Answer.NO_MATCH;
  }

  @Override
  public LoginState login() {
    if (facts.user() == null) {
      return LoginState.UNCHECKED;
    }
    return facts.user().isEmpty() ? LoginState.CHALLENGE : LoginState.KNOWN;
  }

  @Override
  public @Nullable String user() {
    return login() == LoginState.KNOWN ? facts.user() : null;
  }

  @Override
  public long nowMillis() {
    return facts.nowMillis();
  }
}
