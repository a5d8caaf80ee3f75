package io.loligo.server.login.kerberos;

import java.io.File;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.Oid;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the tokens of clients with the keys of a keytab. Thread-safe, and blocks: it computes,
 * and reads a changed keytab again. It asks no server.
 *
 * <p>The JDK has a replay cache in memory: an authenticator counts once.
 */
public final class KerberosAcceptor {
  private static final String SPNEGO = "1.3.6.1.5.5.2";
  private static final String KERBEROS = "1.2.840.113554.1.2.2";

  private final Subject subject;
  private final boolean stripsRealm;

  /**
   * An acceptor with the keys of a file.
   *
   * @param principal whose keys are used; null: all keys of the file
   */
  public KerberosAcceptor(String keytab, @Nullable String principal, boolean stripsRealm) {
    this.stripsRealm = stripsRealm;
    File file = new File(keytab);
    if (principal == null) {
      subject = new Subject(true, Set.of(), Set.of(), Set.of(KeyTab.getUnboundInstance(file)));
    } else {
      KerberosPrincipal name = new KerberosPrincipal(principal);
      subject = new Subject(true, Set.of(name), Set.of(), Set.of(KeyTab.getInstance(name, file)));
    }
  }

  /**
   * The result of one token.
   *
   * @param user the name of the client; null: the client must send another token
   * @param token the answer to the client; empty: none
   */
  public record Step(@Nullable String user, byte[] token) {}

  /** The tokens of one client. Confined to one thread at a time. */
  public final class Exchange {
    private @Nullable GSSContext context;

    /**
     * Takes the next token. Blocks.
     *
     * @throws GSSException the token is not valid; the exchange is over
     */
    public Step next(byte[] token) throws GSSException {
      try {
        return Subject.doAs(subject, (PrivilegedExceptionAction<Step>) () -> accepted(token));
      } catch (PrivilegedActionException e) {
        end();
        if (e.getException() instanceof GSSException gss) {
          throw gss;
        }
        throw new IllegalStateException(e.getException());
      }
    }

    private Step accepted(byte[] token) throws GSSException {
      GSSContext open = context;
      if (open == null) {
        GSSManager manager = GSSManager.getInstance();
        Oid[] mechanisms = {new Oid(SPNEGO), new Oid(KERBEROS)};
        GSSCredential own =
            manager.createCredential(
                null, GSSCredential.INDEFINITE_LIFETIME, mechanisms, GSSCredential.ACCEPT_ONLY);
        open = manager.createContext(own);
        context = open;
      }
      byte[] answer = open.acceptSecContext(token, 0, token.length);
      byte[] sent = answer == null ? new byte[0] : answer;
      if (!open.isEstablished()) {
        return new Step(null, sent);
      }
      String user = open.getSrcName().toString();
      end();
      int realm = user.lastIndexOf('@');
      return new Step(stripsRealm && realm > 0 ? user.substring(0, realm) : user, sent);
    }

    /** Forgets the exchange. */
    public void end() {
      GSSContext open = context;
      context = null;
      if (open != null) {
        try {
          open.dispose();
        } catch (GSSException e) {
          // it is forgotten all the same
        }
      }
    }
  }
}
