package io.loligo.server.ldap;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedCompareRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.OperationType;
import com.unboundid.ldap.sdk.ResultCode;
import io.loligo.server.tls.TestAuthority;
import java.net.InetAddress;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A directory in memory with LDAP, StartTLS and LDAPS on addresses of this machine. Below {@code
 * dc=test}: the users {@code bob} (password {@code secret}), {@code eve} and {@code j\u00fcrgen} in
 * {@code ou=people}, the groups {@code staff} (bob, by his entry) and {@code guests} (eve, by her
 * name) in {@code ou=groups}. Only {@code cn=proxy,dc=test} (password {@code pass word}) searches.
 */
public final class TestDirectory implements AutoCloseable {
  /** The account that searches. */
  public static final String ACCOUNT = "cn=proxy,dc=test";

  /** Its password. */
  public static final String PASSWORD = "pass word";

  /** Its authority. */
  public final TestAuthority authority = TestAuthority.root("Directory Authority");

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final InMemoryDirectoryServer server;
  private volatile String loginsElsewhere;

  /** Starts with a certificate for {@code names}. */
  public TestDirectory(String... names) {
    this(/* anybody= */ false, names);
  }

  /** The same; {@code anybody} may search, or its account only. */
  TestDirectory(boolean anybody, String... names) {
    try {
      InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=test");
      config.setSchema(null);
      config.addAdditionalBindCredentials(ACCOUNT, PASSWORD);
      if (!anybody) {
        config.setAuthenticationRequiredOperationTypes(OperationType.SEARCH, OperationType.COMPARE);
      }
      config.addInMemoryOperationInterceptor(new Log());
      SSLContext tls = tls(authority.issue(TestAuthority.server(names)));
      InetAddress here = InetAddress.getLoopbackAddress();
      config.setListenerConfigs(
          InMemoryListenerConfig.createLDAPConfig("plain", here, 0, tls.getSocketFactory()),
          InMemoryListenerConfig.createLDAPSConfig(
              "tls", here, 0, tls.getServerSocketFactory(), null));
      server = new InMemoryDirectoryServer(config);
      addEntries();
      server.startListening();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void addEntries() throws LDAPException {
    add("dc=test", "objectClass: domain", "dc: test");
    add("ou=people,dc=test", "objectClass: organizationalUnit", "ou: people");
    add("ou=groups,dc=test", "objectClass: organizationalUnit", "ou: groups");
    add("uid=bob,ou=people,dc=test", "objectClass: account", "uid: bob", "userPassword: secret");
    add("uid=eve,ou=people,dc=test", "objectClass: account", "uid: eve", "userPassword: s3");
    add(
        "uid=j\u00fcrgen,ou=people,dc=test",
        "objectClass: account",
        "uid: j\u00fcrgen",
        "userPassword: gr\u00fcn");
    add(
        "cn=staff,ou=groups,dc=test",
        "objectClass: groupOfNames",
        "cn: staff",
        "member: uid=bob,ou=people,dc=test",
        "member: uid=j\u00fcrgen,ou=people,dc=test");
    add("cn=guests,ou=groups,dc=test", "objectClass: posixGroup", "cn: guests", "memberUid: eve");
  }

  private void add(String name, String... lines) throws LDAPException {
    try {
      String[] entry = new String[lines.length + 1];
      entry[0] = "dn: " + name;
      System.arraycopy(lines, 0, entry, 1, lines.length);
      server.addEntries(List.of(new com.unboundid.ldap.sdk.Entry(entry)));
    } catch (com.unboundid.ldif.LDIFException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SSLContext tls(TestAuthority.Issued issued) throws Exception {
    KeyStore store = KeyStore.getInstance(TestAuthority.QUICK_STORE);
    store.load(null, null);
    store.setKeyEntry("a", issued.key(), new char[0], issued.chain().toArray(new Certificate[0]));
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  /** The port of LDAP and StartTLS. */
  public int port() {
    return server.getListenPort("plain");
  }

  /** The port of LDAPS. */
  public int tlsPort() {
    return server.getListenPort("tls");
  }

  /**
   * What it was asked, in order: {@code bind NAME}, {@code search FILTER}, {@code compare NAME}.
   */
  public List<String> log() {
    return List.copyOf(log);
  }

  /** Adds a referral to {@code url} at {@code name}. */
  public void addReferral(String name, String url) throws LDAPException {
    add(name, "objectClass: referral", "objectClass: extensibleObject", "ref: " + url);
  }

  /** Refers all logins but that of the account to {@code url}. */
  public void referLogins(String url) {
    loginsElsewhere = url;
  }

  /** Closes all connections; it goes on at the same ports. */
  public void restart() throws LDAPException {
    server.restartServer();
  }

  @Override
  public void close() {
    server.shutDown(true);
  }

  private final class Log extends InMemoryOperationInterceptor {
    @Override
    public void processSimpleBindRequest(InMemoryInterceptedSimpleBindRequest request)
        throws LDAPException {
      String name = request.getRequest().getBindDN();
      log.add("bind " + name);
      if (loginsElsewhere != null && !name.equals(ACCOUNT)) {
        throw new LDAPException(
            ResultCode.REFERRAL, "elsewhere", null, new String[] {loginsElsewhere});
      }
    }

    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest request) {
      log.add("search " + request.getRequest().getFilter());
    }

    @Override
    public void processCompareRequest(InMemoryInterceptedCompareRequest request) {
      log.add("compare " + request.getRequest().getDN());
    }
  }
}
