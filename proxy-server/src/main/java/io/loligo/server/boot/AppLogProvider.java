package io.loligo.server.boot;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Logback, configured by {@link AppLog} without a search for services, which would read the
 * directory of the whole jar. SLF4J makes one, and calls it from one thread.
 */
public final class AppLogProvider implements SLF4JServiceProvider {
  /** Of SLF4J: the class that it takes without a search. */
  private static final String PROVIDER = "slf4j.provider";

  /** Of SLF4J: its own messages, of which one says that it takes that class. */
  private static final String VERBOSITY = "slf4j.internal.verbosity";

  private static final String API_VERSION = "2.0.99";

  private final LoggerContext context = new LoggerContext();
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final LogbackMDCAdapter diagnostics = new LogbackMDCAdapter();

  /**
   * Makes it the provider of this JVM, before the first logger is made. Does nothing if the
   * operator names a provider or a configuration of Logback.
   */
  public static void choose() {
    if (System.getProperty(PROVIDER) == null
        && System.getProperty(AppLog.CONFIGURATION_FILE) == null) {
      System.setProperty(PROVIDER, AppLogProvider.class.getName());
      if (System.getProperty(VERBOSITY) == null) {
        System.setProperty(VERBOSITY, "WARN");
      }
    }
  }

  @Override
  public void initialize() {
    context.setName("default");
    context.setMDCAdapter(diagnostics);
    AppLog log = new AppLog();
    log.setContext(context);
    log.configure(context);
    context.start();
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return context;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return diagnostics;
  }

  @Override
  public String getRequestedApiVersion() {
    return API_VERSION;
  }
}
