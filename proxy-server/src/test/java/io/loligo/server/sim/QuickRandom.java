package io.loligo.server.sim;

import java.security.Provider;
import java.security.SecureRandomSpi;
import java.security.Security;

/**
 * Random numbers that are neither secret nor slow, from a constant seed, for all of this process
 * until {@link #close}. Netty shuffles 16,384 query ids for each resolver: with the JDK's own
 * source that took more time than all the rest of a world. Used by one thread.
 */
final class QuickRandom implements AutoCloseable {
  private static final String NAME = "QuickRandom";

  private QuickRandom() {}

  /** Lets {@code new SecureRandom()} return such numbers. */
  static QuickRandom install() {
    Security.insertProviderAt(new Quick(), 1);
    return new QuickRandom();
  }

  @Override
  public void close() {
    Security.removeProvider(NAME);
  }

  private static final class Quick extends Provider {
    private static final long serialVersionUID = 1;

    Quick() {
      super(NAME, "1", "random numbers of a simulation");
      putService(new Source(this));
    }
  }

  private static final class Source extends Provider.Service {
    Source(Provider provider) {
      super(provider, "SecureRandom", NAME, Numbers.class.getName(), null, null);
    }

    @Override
    public Object newInstance(Object parameter) {
      return new Numbers();
    }
  }

  private static final class Numbers extends SecureRandomSpi {
    private static final long serialVersionUID = 1;

    private long state = 1;

    @Override
    protected void engineSetSeed(byte[] seed) {
      // the same in each run
    }

    @Override
    protected void engineNextBytes(byte[] bytes) {
      for (int i = 0; i < bytes.length; i++) {
        if (i % Long.BYTES == 0) {
          state ^= state << 13;
          state ^= state >>> 7;
          state ^= state << 17;
        }
        bytes[i] = (byte) (state >>> (i % Long.BYTES * Byte.SIZE));
      }
    }

    @Override
    protected byte[] engineGenerateSeed(int count) {
      byte[] seed = new byte[count];
      engineNextBytes(seed);
      return seed;
    }
  }
}
