package io.loligo.server.ldap;

import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPURL;
import com.unboundid.ldap.sdk.OperationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import com.unboundid.util.ssl.HostNameSSLSocketVerifier;
import io.loligo.server.tls.Authorities;
import io.loligo.server.tls.TlsFileException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to the servers of a directory: the first one that answers is used. Confined to
 * one thread. A connection has no thread of its own.
 */
final class LdapConnector {
  /** The most bytes of a message of a server: {@value}. */
  static final int MAX_MESSAGE_BYTES = 256 << 10;

  /** How long a server may take to answer, in seconds, unless {@code -t} says more: {@value}. */
  static final int ANSWER_SECONDS = 10;

  private static final int MAX_REFERRALS = 5;

  private final LdapDirectory directory;
  private final @Nullable String caFile;
  private final BooleanSupplier closed;

  /**
   * Opens nothing yet.
   *
   * @param caFile the authorities that servers must have; null: those of the Java runtime
   * @param closed whether no connection is needed any more; asked between attempts
   */
  LdapConnector(LdapDirectory directory, @Nullable String caFile, BooleanSupplier closed) {
    this.directory = directory;
    this.caFile = caFile;
    this.closed = closed;
  }

  /** A connection on which nobody has logged in. Blocks. */
  LDAPConnection open() throws LDAPException {
    LDAPException failure = null;
    for (LdapServer server : directory.servers().inOrder()) {
      for (InetAddress address : addresses(server.host())) {
        try {
          return open(server, address);
        } catch (LDAPException e) {
          failure = e;
        }
        if (closed.getAsBoolean()) {
          throw failure;
        }
      }
    }
    throw failure != null
        ? failure
        : new LDAPException(
            ResultCode.CONNECT_ERROR, "no address is known of " + directory.servers().inOrder());
  }

  private static List<InetAddress> addresses(String host) {
    try {
      return List.of(InetAddress.getAllByName(host));
    } catch (UnknownHostException e) {
      return List.of();
    }
  }

  private LDAPConnection open(LdapServer server, InetAddress address) throws LDAPException {
    boolean startTls = directory.servers().startTls();
    SSLContext tls = server.tls() || startTls ? tls() : null;
    SocketFactory sockets =
        server.tls() && tls != null
            ? new TimedTlsSockets(tls.getSocketFactory(), connectMillis())
            : SocketFactory.getDefault();
    LDAPConnection connection = new LDAPConnection(sockets, options());
    try {
      connection.connect(server.host(), address, server.port(), connectMillis());
      if (startTls) {
        startTls(connection, tls);
      }
    } catch (LDAPException e) {
      connection.closeWithoutUnbind();
      throw e;
    }
    return connection;
  }

  private int connectMillis() {
    return (int) TimeUnit.SECONDS.toMillis(directory.servers().connectSeconds());
  }

  private static void startTls(LDAPConnection connection, @Nullable SSLContext tls)
      throws LDAPException {
    ExtendedResult result = connection.processExtendedOperation(new StartTLSExtendedRequest(tls));
    if (!result.getResultCode().equals(ResultCode.SUCCESS)) {
      throw new LDAPException(result);
    }
  }

  private LDAPConnectionOptions options() {
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setUseSynchronousMode(true); // else each connection has a thread
    options.setConnectTimeoutMillis(connectMillis());
    int seconds = Math.max(ANSWER_SECONDS, directory.search().seconds() + 1);
    options.setResponseTimeoutMillis(TimeUnit.SECONDS.toMillis(seconds));
    options.setResponseTimeoutMillis(OperationType.EXTENDED, connectMillis()); // StartTLS
    options.setMaxMessageSize(MAX_MESSAGE_BYTES);
    options.setFollowReferrals(directory.search().followsReferrals());
    options.setReferralHopLimit(MAX_REFERRALS);
    options.setReferralConnector((url, from) -> openReferral(url));
    options.setSSLSocketVerifier(new HostNameSSLSocketVerifier(false));
    return options;
  }

  /** Nobody logs in at a server that a directory names: it would learn the password. */
  private LDAPConnection openReferral(LDAPURL url) throws LDAPException {
    if (closed.getAsBoolean()) {
      throw new LDAPException(ResultCode.USER_CANCELED, "the child ends");
    }
    LdapServer server =
        new LdapServer(url.getHost(), url.getPort(), url.getScheme().equals("ldaps"));
    List<InetAddress> known = addresses(server.host());
    if (known.isEmpty()) {
      throw new LDAPException(ResultCode.CONNECT_ERROR, "no address is known of " + server);
    }
    return open(server, known.get(0));
  }

  private SSLContext tls() throws LDAPException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      Authorities trusted =
          caFile == null
              ? Authorities.ofSystem()
              : new Authorities(
                  Set.copyOf(Authorities.certificates(caFile)), List.of(), false, false);
      context.init(null, trusted.trustManagers().getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | TlsFileException e) {
      throw new LDAPException(ResultCode.LOCAL_ERROR, "TLS: " + e.getMessage(), e);
    }
  }
}
