package io.loligo.server.ldap;

import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultListener;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The two connections of one child: one for its account, which searches and compares, and one on
 * which users log in. Each character of a text is one byte, as elsewhere in the proxy. They are
 * opened when they are first needed, and stay open. Confined to the thread of the child, except for
 * {@link #close}.
 *
 * <p>A connection that the server has closed meanwhile is replaced once, so no user notices.
 */
final class LdapSession implements AutoCloseable {
  /** How long the account does not try again after its password was refused: {@value} s. */
  static final int REFUSED_SECONDS = 5;

  private static final String NO_ATTRIBUTES = "1.1";

  private final LdapDirectory directory;
  private final LongSupplier nanos;
  private final LdapConnector connector;
  private final Line account;
  private final Line users;
  private volatile boolean closed;

  /** The last time at which the account was refused, and why; null: it was not. */
  private @Nullable LdapFailure refusal;

  private long refusedNanos;

  /** Opens no connection yet. {@code nanos} is a monotonic clock. */
  LdapSession(LdapDirectory directory, @Nullable String caFile, LongSupplier nanos) {
    this.directory = directory;
    this.nanos = nanos;
    connector = new LdapConnector(directory, caFile, () -> closed);
    account = new Line(/* logsIn= */ true);
    users = new Line(/* logsIn= */ false);
  }

  /** One request on a connection. */
  private interface Work<T> {
    T on(LDAPConnection connection) throws LDAPException;
  }

  /** One of the connections. */
  private final class Line {
    private final boolean logsIn;
    private volatile @Nullable LDAPConnection open;

    Line(boolean logsIn) {
      this.logsIn = logsIn;
    }

    <T> T run(Work<T> work) throws LDAPException, LdapFailure {
      LDAPConnection kept = open;
      if (kept != null) {
        try {
          return work.on(kept);
        } catch (LDAPException e) {
          if (e.getResultCode().isConnectionUsable()) {
            throw e;
          }
          end();
          if (e.getResultCode().equals(ResultCode.TIMEOUT)) {
            throw e;
          }
        }
      }
      try {
        return work.on(begin());
      } catch (LDAPException e) {
        if (!e.getResultCode().isConnectionUsable()) {
          end();
        }
        throw e;
      }
    }

    private LDAPConnection begin() throws LDAPException, LdapFailure {
      LDAPConnection begun = connector.open();
      open = begun;
      if (closed) {
        end();
        throw new LdapFailure("the child ends");
      }
      if (logsIn) {
        logIn(begun);
      }
      return begun;
    }

    void end() {
      LDAPConnection ended = open;
      open = null;
      if (ended != null) {
        ended.closeWithoutUnbind();
      }
    }
  }

  private void logIn(LDAPConnection connection) throws LdapFailure {
    LdapAccount as = directory.account();
    if (as == null) {
      return;
    }
    if (refusal != null
        && nanos.getAsLong() - refusedNanos < TimeUnit.SECONDS.toNanos(REFUSED_SECONDS)) {
      account.end();
      throw refusal;
    }
    refusal = null;
    try {
      connection.bind(bindRequest(as.name(), as.passwordBytes()));
    } catch (LDAPException | IOException e) {
      account.end();
      LdapFailure failure = new LdapFailure("-D cannot log in: " + reason(e));
      if (e instanceof LDAPException refused && refused.getResultCode().isConnectionUsable()) {
        // further tries would lock the account
        refusal = failure;
        refusedNanos = nanos.getAsLong();
      }
      throw failure;
    }
  }

  private static BindRequest bindRequest(String name, byte[] password) {
    SimpleBindRequest request = new SimpleBindRequest(LdapText.decoded(name), password);
    request.setFollowReferrals(false); // another server would learn the password
    return request;
  }

  /**
   * The name of the first entry, or null. Blocks.
   *
   * @param filter as RFC 4515 has it
   * @throws LdapFailure if the directory cannot tell
   */
  @Nullable String find(String base, String filter) throws LdapFailure {
    try {
      FirstName found =
          account.run(
              connection -> {
                FirstName first = new FirstName();
                LdapSearch how = directory.search();
                SearchRequest request =
                    new SearchRequest(
                        first,
                        LdapText.decoded(base),
                        how.scope(),
                        how.aliases(),
                        /* sizeLimit= */ 1,
                        how.seconds(),
                        /* typesOnly= */ true,
                        LdapText.decoded(filter),
                        NO_ATTRIBUTES);
                try {
                  connection.search(request);
                } catch (LDAPSearchException e) {
                  if (!e.getResultCode().equals(ResultCode.SIZE_LIMIT_EXCEEDED)) {
                    throw e;
                  }
                }
                return first;
              });
      return found.name == null ? null : LdapText.encoded(found.name);
    } catch (LDAPException e) {
      throw new LdapFailure("the search failed: " + reason(e));
    }
  }

  /** Keeps the name of the first entry, so that an endless result takes no memory. */
  private static final class FirstName implements SearchResultListener {
    private static final long serialVersionUID = 1;

    @Nullable String name;

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      name = name == null ? entry.getDN() : name;
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // one that was not followed
    }
  }

  /**
   * Whether {@code password}, not empty, is that of the entry {@code name}: by a login. Blocks.
   *
   * @throws LdapFailure if the directory cannot tell
   */
  boolean logsIn(String name, byte[] password) throws LdapFailure {
    if (password.length == 0) {
      return false; // directories take that as a login without a user (RFC 4513 section 5.1.2)
    }
    try {
      users.run(connection -> connection.bind(bindRequest(name, password)));
      return true;
    } catch (LDAPException e) {
      if (isAboutUser(e.getResultCode())) {
        return false;
      }
      throw new LdapFailure("a user cannot log in: " + reason(e));
    }
  }

  /**
   * Whether {@code password} is a value of {@code attribute} of the entry {@code name}. Blocks.
   *
   * @throws LdapFailure if the directory cannot tell
   */
  boolean has(String name, String attribute, byte[] password) throws LdapFailure {
    try {
      CompareRequest request = new CompareRequest(LdapText.decoded(name), attribute, password);
      request.setFollowReferrals(false);
      return account.run(connection -> connection.compare(request).compareMatched());
    } catch (LDAPException e) {
      if (isAboutUser(e.getResultCode())
          || e.getResultCode().equals(ResultCode.NO_SUCH_ATTRIBUTE)) {
        return false;
      }
      throw new LdapFailure("a password cannot be compared: " + reason(e));
    }
  }

  /** Whether a login fails because of this user: a wrong name or password, a locked account. */
  private static boolean isAboutUser(ResultCode code) {
    return code.equals(ResultCode.INVALID_CREDENTIALS)
        || code.equals(ResultCode.NO_SUCH_OBJECT)
        || code.equals(ResultCode.INVALID_DN_SYNTAX)
        || code.equals(ResultCode.INAPPROPRIATE_AUTHENTICATION)
        || code.equals(ResultCode.INSUFFICIENT_ACCESS_RIGHTS)
        || code.equals(ResultCode.CONSTRAINT_VIOLATION)
        || code.equals(ResultCode.UNWILLING_TO_PERFORM);
  }

  /** One line for the log. The texts of servers are among it, so it is short. */
  private static String reason(Exception e) {
    String text = e instanceof LDAPException ldap ? ldapReason(ldap) : e.toString();
    String plain = text.replaceAll("\\p{Cntrl}", " ");
    return plain.length() > 200 ? plain.substring(0, 200) : plain;
  }

  private static String ldapReason(LDAPException e) {
    String said = e.getDiagnosticMessage();
    String text = said == null || said.isEmpty() ? e.getMessage() : said;
    return e.getResultCode() + (text == null ? "" : ", " + text);
  }

  @Override
  public void close() {
    closed = true;
    account.end();
    users.end();
  }
}
