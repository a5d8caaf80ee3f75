package io.loligo.server.wire;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;
import org.apache.kerby.kerberos.kerb.type.ticket.TgtTicket;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;

/**
 * A KDC with the users bob and alice and the service of a proxy on localhost. Confined to one
 * thread.
 */
final class TestKdc implements AutoCloseable {
  static final String REALM = "LOLIGO.TEST";
  static final String SERVICE = "HTTP/localhost@" + REALM;
  static final String OTHER_SERVICE = "HTTP/other@" + REALM;
  static final String SPNEGO = "1.3.6.1.5.5.2";
  static final String KERBEROS = "1.2.840.113554.1.2.2";

  private static final String PRINCIPAL_NAME = "1.2.840.113554.1.2.2.1";

  private final Map<String, Subject> subjects = new HashMap<>();
  private final SimpleKdcServer kdc;
  private final int port = ProxyProcess.freePort();
  private final Path dir;

  /** Starts it, with its files in {@code dir}. */
  TestKdc(Path dir) throws Exception {
    this.dir = dir;
    kdc = new SimpleKdcServer();
    kdc.setKdcHost("localhost");
    kdc.setKdcRealm(REALM);
    kdc.setWorkDir(dir.toFile());
    kdc.setAllowUdp(false);
    kdc.setAllowTcp(true);
    kdc.setKdcTcpPort(port);
    kdc.init();
    kdc.start();
    for (String principal : new String[] {SERVICE, OTHER_SERVICE}) {
      kdc.createPrincipal(principal);
    }
    for (String user : new String[] {"bob", "alice"}) {
      kdc.createPrincipal(user + "@" + REALM, "secret");
    }
  }

  /** A new keytab with the key of {@code principal}. */
  Path keytab(String principal) throws Exception {
    File file = dir.resolve(principal.replaceAll("\\W", "-") + ".keytab").toFile();
    kdc.exportPrincipal(principal, file);
    return file.toPath();
  }

  /** krb5.conf of its clients. */
  Path configuration() {
    return dir.resolve("krb5.conf");
  }

  /** A file with a ticket of {@code user} that can ask for others. */
  Path tickets(String user) throws Exception {
    TgtTicket tgt = kdc.getKrbClient().requestTgt(user + "@" + REALM, "secret");
    File file = dir.resolve(user + ".ccache").toFile();
    kdc.getKrbClient().storeTicket(tgt, file);
    return file.toPath();
  }

  /**
   * krb5.conf of clients with the library of MIT, in a folder that they may read. Nothing in it
   * needs DNS or UDP.
   */
  Path libraryConfiguration() throws IOException {
    return Files.writeString(
        dir.resolve("library.conf"),
        String.join(
            "\n",
            "[libdefaults]",
            " default_realm = " + REALM,
            " dns_lookup_realm = false",
            " dns_lookup_kdc = false",
            " dns_canonicalize_hostname = false",
            " rdns = false",
            " udp_preference_limit = 1",
            "[realms]",
            " " + REALM + " = {",
            "  kdc = 127.0.0.1:" + port,
            " }",
            "[domain_realm]",
            " localhost = " + REALM,
            ""));
  }

  /** A new token of {@code user} for the proxy, Base64, made with {@code mechanism}. */
  String token(String user, String mechanism) throws Exception {
    return token(user, mechanism, SERVICE);
  }

  /** The same for another service. */
  String token(String user, String mechanism, String service) throws Exception {
    PrivilegedExceptionAction<byte[]> made =
        () -> {
          GSSManager manager = GSSManager.getInstance();
          GSSName name = manager.createName(service, new Oid(PRINCIPAL_NAME));
          GSSContext context =
              manager.createContext(name, new Oid(mechanism), null, GSSContext.DEFAULT_LIFETIME);
          return context.initSecContext(new byte[0], 0, 0);
        };
    return Base64.getEncoder().encodeToString(Subject.doAs(loggedIn(user), made));
  }

  /** Its tickets are kept: further tokens need no answer of the KDC. */
  private Subject loggedIn(String user) throws Exception {
    Subject known = subjects.get(user);
    if (known != null) {
      return known;
    }
    Path keys = keytab(user + "@" + REALM);
    Map<String, String> options =
        Map.of(
            "useKeyTab", "true",
            "keyTab", keys.toString(),
            "principal", user + "@" + REALM,
            "storeKey", "true",
            "doNotPrompt", "true",
            "refreshKrb5Config", "true");
    Configuration jaas =
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return new AppConfigurationEntry[] {
              new AppConfigurationEntry(
                  "com.sun.security.auth.module.Krb5LoginModule",
                  AppConfigurationEntry.LoginModuleControlFlag.REQUIRED,
                  options)
            };
          }
        };
    Subject subject =
        new Subject(false, Set.of(new KerberosPrincipal(user + "@" + REALM)), Set.of(), Set.of());
    CallbackHandler none = callbacks -> {};
    new LoginContext("client", subject, none, jaas).login();
    subjects.put(user, subject);
    return subject;
  }

  @Override
  public void close() throws KrbException {
    kdc.stop();
    System.clearProperty("java.security.krb5.conf");
  }
}
