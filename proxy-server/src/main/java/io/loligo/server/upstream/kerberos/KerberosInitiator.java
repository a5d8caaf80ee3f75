package io.loligo.server.upstream.kerberos;

import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.PeerKerberos;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.kerberos.KerberosTicket;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;
import org.jspecify.annotations.Nullable;

/**
 * Makes tokens of SPNEGO (RFC 4559) for one peer. Confined to one thread, and blocks: it asks the
 * key distribution centre for tickets, and keeps them while they are valid.
 */
final class KerberosInitiator implements KerberosPeers.Maker {
  private static final String SPNEGO = "1.3.6.1.5.5.2";

  /** A ticket that ends sooner is not used. */
  private static final Duration SOON = Duration.ofMinutes(2);

  private final PeerKerberos of;
  private final TimeSource time;
  private @Nullable Subject subject;

  KerberosInitiator(PeerKerberos of, TimeSource time) {
    this.of = of;
    this.time = time;
  }

  @Override
  public byte[] token() throws GSSException, LoginException {
    Subject known = subject;
    if (known != null && endsSoon(known)) {
      known = null;
    }
    if (known == null) {
      subject = null;
      known = login();
      subject = known;
    }
    try {
      return Subject.doAs(known, (PrivilegedExceptionAction<byte[]>) this::made);
    } catch (PrivilegedActionException e) {
      subject = null; // its tickets may be of no use any more
      if (e.getException() instanceof GSSException gss) {
        throw gss;
      }
      throw new IllegalStateException(e.getException());
    }
  }

  private boolean endsSoon(Subject subject) {
    Instant soon = Instant.ofEpochMilli(time.millis()).plus(SOON);
    return subject.getPrivateCredentials(KerberosTicket.class).stream()
        .anyMatch(ticket -> ticket.isDestroyed() || ticket.getEndTime().toInstant().isBefore(soon));
  }

  private byte[] made() throws GSSException {
    GSSManager manager = GSSManager.getInstance();
    GSSName service = manager.createName("HTTP@" + of.host(), GSSName.NT_HOSTBASED_SERVICE);
    GSSContext context =
        manager.createContext(service, new Oid(SPNEGO), null, GSSContext.DEFAULT_LIFETIME);
    try {
      return context.initSecContext(new byte[0], 0, 0);
    } finally {
      context.dispose();
    }
  }

  private Subject login() throws LoginException {
    Subject made = new Subject();
    CallbackHandler none = callbacks -> {};
    new LoginContext("loligo", made, none, new Options(options())).login();
    return made;
  }

  private Map<String, String> options() {
    Map<String, String> options = new HashMap<>();
    options.put("doNotPrompt", "true");
    options.put("refreshKrb5Config", "true");
    if (of.principal() != null) {
      options.put("principal", of.principal());
    }
    if (of.keytab() == null) {
      options.put("useTicketCache", "true");
    } else {
      options.put("useKeyTab", "true");
      options.put("keyTab", of.keytab());
    }
    return options;
  }

  /** The one login module. */
  private static final class Options extends Configuration {
    private final Map<String, String> options;

    Options(Map<String, String> options) {
      this.options = options;
    }

    @Override
    public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
      return new AppConfigurationEntry[] {
        new AppConfigurationEntry(
            "com.sun.security.auth.module.Krb5LoginModule",
            LoginModuleControlFlag.REQUIRED,
            options)
      };
    }
  }
}
