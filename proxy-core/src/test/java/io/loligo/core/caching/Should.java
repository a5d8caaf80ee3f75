package io.loligo.core.caching;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A test of a recommendation of the RFC for a cache: SHOULD or SHOULD NOT. */
@Test
@Tag("SHOULD")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Should {}
