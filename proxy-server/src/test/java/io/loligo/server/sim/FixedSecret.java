package io.loligo.server.sim;

import java.security.Provider;
import java.security.SecureRandomSpi;
import java.security.Security;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Gives the hashes of cache keys a secret that is the same in every process, so that a seed of
 * {@link SimulationTest} is the same run everywhere. JUnit calls it before the first test; the
 * secret is drawn then, from a source of random numbers that is there for this only. Stateless.
 */
public final class FixedSecret implements LauncherSessionListener {
  private static final String DRAWS_IT = "io.loligo.core.caching.KeyHash";

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Provider fixed = new FixedProvider();
    Security.insertProviderAt(fixed, 1);
    try {
      Class.forName(DRAWS_IT);
    } catch (ClassNotFoundException e) {
      throw new LinkageError(DRAWS_IT, e);
    } finally {
      Security.removeProvider(fixed.getName());
    }
  }

  private static final class FixedProvider extends Provider {
    private static final long serialVersionUID = 1;

    FixedProvider() {
      super("Fixed", "1", "the same numbers in every process");
      putService(
          new Service(this, "SecureRandom", "Fixed", FixedRandom.class.getName(), null, null));
    }
  }

  /** Gives the bytes of the same words in turn. Confined to one thread. */
  public static final class FixedRandom extends SecureRandomSpi {
    private static final long serialVersionUID = 1;
    private static final int[] WORDS = {0, 4711, 0, ~4711};

    private int given;

    @Override
    protected void engineNextBytes(byte[] bytes) {
      for (int i = 0; i < bytes.length; i++) {
        int word = WORDS[given / Integer.BYTES % WORDS.length];
        bytes[i] = (byte) (word >>> (24 - 8 * (given % Integer.BYTES)));
        given++;
      }
    }

    @Override
    protected void engineSetSeed(byte[] seed) {
      // it has none
    }

    @Override
    protected byte[] engineGenerateSeed(int count) {
      return new byte[count];
    }
  }
}
