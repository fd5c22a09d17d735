/*
 * The payment protocol of svc (src/payments/protocol, docs/paying-once.md) as a model for Spin.
 *
 * One or two processes run `svc pay` for a key, again and again, over one or two journals, against a service that lists,
 * answers, refuses and loses as its settings let it. Spin tries every order of all steps. docs/model.md says what is proved.
 *
 * Time is counted in ticks. A quote is valid for QUOTE_LIFE ticks, and svc assumes that a transaction is listed within
 * LISTING_TIME ticks. Between two ticks anything may happen, and a process may be suspended for any number of them. There is no
 * calendar: each clock below says how long ago something was, and stops where more time makes no difference. So time, runs and
 * crashes have no end, and only quotes, requests in flight and transactions are counted.
 */

/* ---- Settings. 0 unless a configuration (model/configurations.ts) gives another value. ---- */

#ifdef SIMULATION
/* Spin's simulator cannot run C, so it is given numbers. */
#define setting(n) S##n
#else
#define setting(n) c_expr { given[n] }
c_decl {
\#include <stdlib.h>
#define settingsMax 64
  int given[settingsMax];
}
#endif

/* Who pays. One process unless told. */
#define TWO_PROCESSES        setting(0)   /* two processes share a journal and pay one key */
#define TWO_HOSTS            setting(1)   /* two hosts, each with a journal of its own, pay one key */
#define TWO_KEYS             setting(2)   /* two keys in one journal, one process each */
#define LEASE_EXPIRES        setting(3)   /* the processes run on two machines, so that a lease ends by time alone */
#define RUNS                 setting(4)   /* how often each process is started; 0 is without end */
#define CRASHES              setting(5)   /* processes are killed, at any point */
#define QUOTES_MAX           setting(6)   /* how many quotes are given: 3 at the most, and 7 in a simulation */

/* What the service does. Where several bits are set, Spin tries each of them. */
#define KEYS                 setting(7)   /* reused keys: 1 honoured, 2 honoured for the same body, 4 ignored */
#define QUOTES               setting(8)   /* quotes: 1 make one transaction, 2 make many */
#define KNOWN                setting(9)   /* what svc knows of keys: 1 nothing, 2 the truth, 4 "honoured", stated by a person */
#define QUOTE_LIFE           setting(10)  /* 0: quotes do not expire */
#define LISTING_TIME         setting(11)  /* what svc assumes (P4) */
#define LIST_LAG             setting(12)  /* how long the service really takes to list a transaction, at the most */
#define EXPIRED_ACCEPTED     setting(13)  /* expired quotes are executed (P3 is wrong) */
#define REFUSES_AFTER_COMMIT setting(14)  /* a 4xx comes although the transaction was made (P6 is wrong if it is also listed late) */
#define REFUSES_THEN_COMMITS setting(15)  /* a 4xx comes, and the transaction is made later (P6 is wrong) */
#define ORDER_BY_UPDATE      setting(16)  /* a transaction that changes moves to the first page of the list */
#define LIST_FAILS           setting(17)  /* the list can be unreadable */
#define DATE_AHEAD           setting(18)  /* a clock is so many ticks ahead: the Date of one node of the service (P5 is wrong),
                                             or that of this machine */
#define QUOTE_CACHE          setting(19)  /* the same quote is given again while it is valid */
#define CORRELATION_DROPPED  setting(20)  /* transactions have no correlationId */
#define REFUSES              setting(21)  /* requests can be refused */

/* What else happens. */
#define FAILOVER             setting(22)  /* the journal goes back to an earlier state, once */
#define JOURNAL_LOST         setting(23)  /* the journal is lost between two runs, once: 1 at any time, 2 while no request is in
                                             flight, and the next run begins when all is listed */
#define SEARCH_AGE_MAX       setting(24)  /* a search that is older is repeated before the payment is armed */
#define RACE_EXCUSED         setting(25)  /* exception (c): a second transaction is excused if it was armed before the first had been
                                             listed for SEARCH_AGE_MAX */
#define REQUESTS_MAX         setting(27)  /* how many requests can be in flight, 3 at the most */
#define CODES_EXCUSED        setting(26)  /* only the number of transactions is checked, not what codes say */
#define MEMORY               setting(28)  /* journals remember lists: 1 the first, 2 the second one too, of reads in one step; 4 the first,
                                             of reads page by page while the list changes */
#define QUOTES_AGAIN         setting(29)  /* a quote that has run out before the payment is armed is replaced */

/* Rules of the protocol as they were before T1, T4, T5, T6 and T10 were mended. */
#define OWNER_BY_QUOTE       setting(30)  /* T1: a transaction with our quote is ours, whoever's correlationId it has */
#define AGE_FROM_END         setting(31)  /* T4: the age of the first search counts from its end */
#define LIST_READ_ONCE       setting(32)  /* T5: one read of the list is enough */
#define SEEN_STOPS           setting(33)  /* T5: the second search stops at transactions that the first has seen */
#define ROLLBACK_UNNOTICED   setting(34)  /* T6: a process that has sent starts anew when its row is older than what it knows */
#define ABANDON_BY_DATE      setting(35)  /* T10: an attempt is abandoned by one clock alone */
#define SECOND_LOOK_UNAGED   setting(37)  /* T4: the second search has no age, so that the process may be suspended after it */

/* Mutations: rules left out or turned round, each of which an invariant must catch. */
#define ARM_AFTER_SEND       setting(40)
#define NO_LEASE             setting(41)  /* the lease is taken although another process holds it */
#define NO_LEASE_CHECK       setting(42)  /* neither a send nor a commit checks that the lease is still held */
#define NO_LIFE_CHECK        setting(43)  /* the life of a quote is not checked, and expired quotes count as safe to abandon */
#define ONE_LIST_ABANDONS    setting(44)
#define NO_LISTING_TIME      setting(45)  /* absence is believed as soon as the quote has expired */
#define TIMEOUT_IS_UNSENT    setting(46)
#define ARMED_IS_UNSENT      setting(47)  /* a later run takes ARMED for "nothing was sent" */
#define NO_SEARCH            setting(48)  /* nothing is searched before a payment is sent */
#define NO_SECOND_LOOK       setting(49)
#define RESEND_ALWAYS        setting(50)  /* the same bytes are sent again whatever is known about keys */
#define RESEND_REFUSAL_FINAL setting(51)  /* a refusal of a second send is believed */
#define CUT_LIST_COUNTS      setting(52)  /* a list that could not be read to its end proves absence */
#define REPORT_BEFORE_COMMIT setting(53)  /* code 0 is said before CREATED is in the journal */
#define UNKNOWN_IS_NOT_MADE  setting(54)  /* a run that has waited long enough says that nothing was made */
#define HEAD_UNTIL_STABLE    setting(55)  /* the first page is read again until it stays the same, whatever it was at first */
#define FIRST_MATCH_TAKEN    setting(56)  /* a transaction of another key is adopted */
#define MEMORY_OF_ONE_READ      setting(57)  /* a list is remembered that was read once */
#define MEMORY_WITHOUT_FOREIGN  setting(58)  /* transactions that the journal has not recorded are not remembered */
#define MEMORY_IGNORES_SENT     setting(59)  /* the memory is used although an attempt was sent before its bound */
#define MEMORY_UNTIL_ITS_START  setting(60)  /* the bound is the start of the read: LISTING_TIME is not subtracted */
#define MEMORY_OUTLIVES_JOURNAL setting(61)  /* the memory stays when the journal is lost or goes back */

/* In a simulation most processes are not killed, and time passes slowly. */
#ifdef SIMULATION
#define often   :: true :: true :: true :: true :: true :: true :: true :: true :: true :: true
#define usually often often often
#define resendsMax 4
#else
#define resendsMax 1
#define usually :: true
#endif

/* ---- The journal ---- */

#define NONE       0
#define INTENDED   1
#define QUOTED     2
#define ARMED      3
#define CREATED    4
#define REJECTED   5
#define UNKNOWN    6
#define ABANDONED  7

typedef Row {
  byte state;
  byte quote;       /* of the last attempt; 0 is none */
  byte quotes;      /* those of all attempts, as bits */
  byte armed;       /* those that were armed, as bits */
  byte sends;
  bit  refused;     /* the service refused the only send of the last attempt */
  bit  clear;       /* a list that could prove it did not have the payment */
  bit  clearAhead;  /* by a Date that was ahead */
  byte made;        /* the number of the transaction, 0 is none */
  byte holder       /* of the lease: process + 1, 0 is none */
};

/* A row for each journal and key: two hosts have row 0 and 1 for one key, two keys have them in one journal. */
Row row[2];
Row standby;
bit standbyTaken, failedOver, journalLost;

inline copyRow(to, from) {
  to.state = from.state; to.quote = from.quote; to.quotes = from.quotes; to.armed = from.armed;
  to.sends = from.sends; to.refused = from.refused; to.clear = from.clear; to.clearAhead = from.clearAhead;
  to.made = from.made; to.holder = from.holder
}

inline clearRow(it) {
  it.state = NONE; it.quote = 0; it.quotes = 0; it.armed = 0; it.sends = 0; it.refused = 0;
  it.clear = 0; it.clearAhead = 0; it.made = 0; it.holder = 0
}

/* What a journal remembers of the customer's list, which was read twice in a row and was the same. What was made before its bound,
   the start of that read less LISTING_TIME, need not be read again for a key, unless it was seen there under that key and is not
   recorded as made, or the key sent something before the bound. If nothing was made before the bound, the memory spares nothing. */
typedef Memory {
  byte old;         /* the transactions that were made before the bound, as bits */
  byte foreign;     /* the keys under which something was seen that is not recorded as made, as bits */
  byte sent         /* the keys that sent something before the bound, as bits */
};
Memory memory[2];
Memory standbyMemory;

inline copyMemory(to, from) { to.old = from.old; to.foreign = from.foreign; to.sent = from.sent }

inline clearMemory(it) { it.old = 0; it.foreign = 0; it.sent = 0 }

#define journalOf(r) (TWO_KEYS -> 0 : r)

/* ---- The service ---- */

#define HONOURED  1
#define PER_BODY  2
#define IGNORED   4
byte keys;
bit quotesMakeOne;
/* What svc knows: that keys are honoured for any body, and that the same bytes may be sent again. */
bit areKeysKnown, mayResend;

byte quotesGiven;

/* Clocks, in ticks. */
byte quoteAge[8];     /* since the quote was given */
byte clearAge[2];     /* since the first list of this row that could prove absence */
byte searchAge[2];    /* since the list was searched by this process */
byte madeAge[2];      /* since this transaction was made; while it is not listed, or longer if lists are remembered */
byte sentAge[2];      /* since this row was armed for the first time, if lists are remembered */
byte listedAge[2];    /* since this transaction was listed */

#define FREE      0
#define IN_FLIGHT 1
#define ANSWERED  2

#define NO_REPLY  0
#define REFUSED   1
#define REUSED    2   /* a 4xx about a used key or quote, or any other answer that says nothing */
#define MADE      3   /* + the number of the transaction */

typedef Request {
  byte status;
  bit  isAwaited;
  byte origin;      /* the row that armed it + 1; 0 once the journal has forgotten it */
  byte key;
  byte quote;
  byte reply;
  bit  isDenied;    /* a run has said that nothing was made */
  byte excused      /* the transactions that exception (c) excuses it from knowing, as bits */
};
Request request[3];

typedef Transaction {
  byte key;         /* + 1; 0 is none */
  byte quote;
  byte origin;      /* the row that armed it + 1 */
  byte page         /* of the list, 1 or 2; 0 while it is not listed */
};
Transaction ledger[2];

/* The third reader is a payment of another key. */
bit isRunning[2], hasHeadMoved[3];

#define isMade(t) (ledger[t].key != 0)

inline moveHead() { hasHeadMoved[0] = 1; hasHeadMoved[1] = 1; hasHeadMoved[2] = (MEMORY == 4) }

inline putOnPage(t, where) {
  if
  :: where == 1 || ledger[t].page == 1 -> moveHead()
  :: else
  fi;
  ledger[t].page = where
}

inline listTransaction(t, where) {
  putOnPage(t, where);
  madeAge[t] = (MEMORY -> madeAge[t] : 0)
}

/* The first invariant. Exception (c) is excused only for as long as it is documented. */
#define isExcused(t, s) (RACE_EXCUSED && (request[s].excused & (1 << t)) != 0)
#define isSecond(t, s)  (isMade(t) && ledger[t].key == request[s].key + 1)

inline makeTransaction(t, s) {
  assert(!isSecond(0, s) || isExcused(0, s));
  assert(!isSecond(1, s) || isExcused(1, s));
  /* The second one: what was said to be not made is not made later. */
  assert(!request[s].isDenied || CODES_EXCUSED);
  ledger[t].key = request[s].key + 1;
  ledger[t].quote = request[s].quote;
  ledger[t].origin = request[s].origin;
  request[s].reply = MADE + t;
  printf("@service makes %d %d\n", s, t);
  if
  :: LIST_LAG == 0 -> listTransaction(t, 1); printf("@service lists %d 1\n", t)
  :: else
  fi
}

#define hasKey(t, s)   (isMade(t) && ledger[t].key == request[s].key + 1)
#define hasQuote(t, s) (isMade(t) && ledger[t].quote == request[s].quote)
#define isReplayed(t, s) ((keys == HONOURED && hasKey(t, s)) || (keys == PER_BODY && hasKey(t, s) && hasQuote(t, s)))
#define isQuoteUsed(t, s) (quotesMakeOne && hasQuote(t, s))
#define isExpired(s) (QUOTE_LIFE && quoteAge[request[s].quote] >= QUOTE_LIFE && !EXPIRED_ACCEPTED)

inline freeRequest(s) {
  d_step {
    request[s].status = FREE; request[s].isAwaited = 0; request[s].origin = 0; request[s].key = 0; request[s].quote = 0;
    request[s].reply = NO_REPLY; request[s].isDenied = 0; request[s].excused = 0
  }
}

/* A reply waits for its reader. If nobody waits for it, the request is forgotten. */
inline answer(s) {
  if
  :: request[s].isAwaited -> request[s].status = ANSWERED
  :: else -> freeRequest(s)
  fi
}

inline carryOut(s) {
  if
  :: isReplayed(0, s) -> request[s].reply = MADE
  :: isReplayed(1, s) -> request[s].reply = MADE + 1
  :: isReplayed(0, s) || isReplayed(1, s) -> request[s].reply = REUSED
  /* Some services answer a used quote with its transaction. */
  :: !isReplayed(0, s) && !isReplayed(1, s) && isQuoteUsed(0, s) -> request[s].reply = MADE
  :: !isReplayed(0, s) && !isReplayed(1, s) && isQuoteUsed(1, s) -> request[s].reply = MADE + 1
  :: !isReplayed(0, s) && !isReplayed(1, s) && (isQuoteUsed(0, s) || isQuoteUsed(1, s)) -> request[s].reply = REUSED
  :: else ->
    if
    :: isExpired(s) -> request[s].reply = REFUSED; printf("@service refuses %d expired\n", s)
    :: !isExpired(s) && !isMade(0) -> makeTransaction(0, s)
    :: !isExpired(s) && isMade(0) && !isMade(1) -> makeTransaction(1, s)
    :: else -> request[s].reply = REUSED
    fi
  fi;
  if
  :: request[s].reply >= MADE && request[s].isAwaited && REFUSES_AFTER_COMMIT -> request[s].reply = REFUSED
  :: true
  fi;
  printf("@service answers %d %d\n", s, request[s].reply);
  answer(s)
}

/* The refusal is all that its sender hears, and the request is carried out later. */
inline repeatLater(s, t) {
  d_step {
    request[t].status = IN_FLIGHT; request[t].origin = request[s].origin; request[t].key = request[s].key;
    request[t].quote = request[s].quote; request[t].excused = request[s].excused
  }
}

inline refuse(s) {
  if
  :: true
  :: REFUSES_THEN_COMMITS && request[0].status == FREE -> repeatLater(s, 0)
  :: REFUSES_THEN_COMMITS && request[1].status == FREE -> repeatLater(s, 1)
  :: REFUSES_THEN_COMMITS && request[2].status == FREE -> repeatLater(s, 2)
  fi;
  request[s].status = ANSWERED; request[s].reply = REFUSED;
  printf("@service refuses %d\n", s)
}

proctype Service() {
end:
  do
  :: atomic { request[0].status == IN_FLIGHT -> carryOut(0) }
  :: atomic { request[1].status == IN_FLIGHT -> carryOut(1) }
  :: atomic { request[2].status == IN_FLIGHT -> carryOut(2) }
  :: atomic { REFUSES && request[0].status == IN_FLIGHT && request[0].isAwaited -> refuse(0) }
  :: atomic { REFUSES && request[1].status == IN_FLIGHT && request[1].isAwaited -> refuse(1) }
  :: atomic { REFUSES && request[2].status == IN_FLIGHT && request[2].isAwaited -> refuse(2) }
  /* A request that nobody waits for may also never be carried out. */
  :: atomic { request[0].status == IN_FLIGHT && !request[0].isAwaited -> freeRequest(0); printf("@service drops 0\n") }
  :: atomic { request[1].status == IN_FLIGHT && !request[1].isAwaited -> freeRequest(1); printf("@service drops 1\n") }
  :: atomic { request[2].status == IN_FLIGHT && !request[2].isAwaited -> freeRequest(2); printf("@service drops 2\n") }
  :: atomic { isMade(0) && ledger[0].page == 0 -> listTransaction(0, 1); printf("@service lists 0 1\n") }
  :: atomic { isMade(1) && ledger[1].page == 0 -> listTransaction(1, 1); printf("@service lists 1 1\n") }
  :: atomic { ORDER_BY_UPDATE && ledger[0].page != 0 -> putOnPage(0, 3 - ledger[0].page); printf("@service moves 0 %d\n", ledger[0].page) }
  :: atomic { ORDER_BY_UPDATE && ledger[1].page != 0 -> putOnPage(1, 3 - ledger[1].page); printf("@service moves 1 %d\n", ledger[1].page) }
  od
}

/* ---- Time, and what goes wrong outside of the service ---- */

#define isListedInTime(t) (!isMade(t) || ledger[t].page != 0 || madeAge[t] < LIST_LAG)

#define age(clock, max) if :: clock < max -> clock++ :: else fi

inline passTick() {
  if
  :: QUOTE_LIFE && quotesGiven > 0 -> age(quoteAge[1], QUOTE_LIFE + LISTING_TIME + 1)
  :: else
  fi;
  if
  :: QUOTE_LIFE && quotesGiven > 1 -> age(quoteAge[2], QUOTE_LIFE + LISTING_TIME + 1)
  :: else
  fi;
  if
  :: QUOTE_LIFE && quotesGiven > 2 -> age(quoteAge[3], QUOTE_LIFE + LISTING_TIME + 1)
  :: else
  fi;
#ifdef SIMULATION
  age(quoteAge[4], QUOTE_LIFE + LISTING_TIME + 1); age(quoteAge[5], QUOTE_LIFE + LISTING_TIME + 1);
  age(quoteAge[6], QUOTE_LIFE + LISTING_TIME + 1); age(quoteAge[7], QUOTE_LIFE + LISTING_TIME + 1);
#endif
  ageRow(0); ageRow(1);
  ageTransaction(0); ageTransaction(1);
  ageSearch(0); ageSearch(1)
}

#define isSentRemembered(i) (MEMORY == 3 || (MEMORY && (i == 0 || TWO_KEYS)))

inline ageRow(i) {
  if
  :: row[i].clear -> age(clearAge[i], LISTING_TIME + 1)
  :: else -> clearAge[i] = 0
  fi;
  if
  :: isSentRemembered(i) && row[i].armed != 0 -> age(sentAge[i], LISTING_TIME + 1)
  :: else
  fi
}

#define madeAgeMax (MEMORY && LIST_LAG <= LISTING_TIME -> LISTING_TIME + 1 : LIST_LAG)

inline ageTransaction(t) {
  if
  :: isMade(t) && (ledger[t].page == 0 || MEMORY) -> age(madeAge[t], madeAgeMax)
  :: else
  fi;
  if
  :: RACE_EXCUSED && ledger[t].page != 0 -> age(listedAge[t], SEARCH_AGE_MAX + 1)
  :: else
  fi
}

inline ageSearch(i) {
  if
  :: isRunning[i] && !areKeysKnown -> age(searchAge[i], SEARCH_AGE_MAX + 1)
  :: else
  fi
}

#define isInFlight (request[0].status != FREE || request[1].status != FREE || request[2].status != FREE)
#define isListed(t) (!isMade(t) || ledger[t].page != 0)
#define waitsForList (JOURNAL_LOST == 2 && journalLost && !(isListed(0) && isListed(1)))

inline forgetRequests() {
  request[0].origin = 0; request[1].origin = 0; request[2].origin = 0; ledger[0].origin = 0; ledger[1].origin = 0
}

#define boundAge (MEMORY_UNTIL_ITS_START -> 0 : LISTING_TIME + 1)
#define isOld(t) (isMade(t) && madeAge[t] >= boundAge)
#define isRecorded(j, t) (row[j].made == t + 1 || (TWO_KEYS && row[1].made == t + 1))
/* Whose transaction it is, as a bit of a key. Nobody can say if it has no correlationId. */
#define foreignKey(j, t) (CORRELATION_DROPPED || isRecorded(j, t) -> 0 : ledger[t].key)
#define wasSent(i) (row[i].armed != 0 && sentAge[i] >= boundAge)
#define sentKeys(j) ((wasSent(j) -> 1 : 0) + (TWO_KEYS && wasSent(1) -> 2 : 0))

/* Keys are numbered from 1 in the ledger: 1 and 2 are their bits. A memory that spares no key anything is none. */
#define isUseless (olds == 0 || (TWO_KEYS -> (seen | sent) == 3 : (seen | sent) == 1))
inline remember(j) {
  memory[j].old = olds; memory[j].sent = sent;
  memory[j].foreign = (MEMORY_WITHOUT_FOREIGN -> 0 : seen);
  if
  :: isUseless && !MEMORY_WITHOUT_FOREIGN && !MEMORY_IGNORES_SENT && !MEMORY_OUTLIVES_JOURNAL -> clearMemory(memory[j])
  :: else
  fi
}

#define oldOnes ((isOld(0) -> 1 : 0) + (isOld(1) -> 2 : 0))
#define seenKey(j, t) (ledger[t].page != 0 -> foreignKey(j, t) : 0)
#define seenKeyOn(j, t, where) (ledger[t].page == where -> foreignKey(j, t) : 0)

inline rememberAtOnce(j) {
  d_step {
    olds = oldOnes; sent = sentKeys(j); seen = seenKey(j, 0) | seenKey(j, 1);
    remember(j);
    olds = 0; sent = 0; seen = 0
  }
}

/* A payment of another key of the customer reads the list page by page, and the first journal remembers it. */
proctype OtherReader() {
  byte olds, sent, seen;
end:
  do
  :: d_step {
      hasHeadMoved[2] = 0;
      olds = oldOnes; sent = sentKeys(0); seen = seenKeyOn(0, 0, 1) | seenKeyOn(0, 1, 1)
    };
    d_step { seen = seen | seenKeyOn(0, 0, 2) | seenKeyOn(0, 1, 2) };
    d_step {
      if
      :: !hasHeadMoved[2] || MEMORY_OF_ONE_READ -> remember(0)
      :: else
      fi;
      olds = 0; sent = 0; seen = 0; hasHeadMoved[2] = 0
    }
  od
}

proctype Surroundings() {
  byte olds, sent, seen;
end:
  do
#ifdef SIMULATION
  often
#endif
  :: d_step { isListedInTime(0) && isListedInTime(1) -> passTick(); printf("@time passes\n") }
  :: d_step { FAILOVER && !standbyTaken && !failedOver ->
      copyRow(standby, row[0]); copyMemory(standbyMemory, memory[0]); standbyTaken = 1
    }
  :: (MEMORY & 1) -> rememberAtOnce(0)
  :: (MEMORY & 2) -> rememberAtOnce(1)
  :: atomic {
      FAILOVER && standbyTaken && !failedOver ->
      copyRow(row[0], standby); clearRow(standby); forgetRequests(); standbyTaken = 0; failedOver = 1;
      sentAge[0] = (row[0].armed -> sentAge[0] : 0);
      if
      :: MEMORY_OUTLIVES_JOURNAL
      :: else -> copyMemory(memory[0], standbyMemory)
      fi;
      clearMemory(standbyMemory);
      printf("@journal goes back\n")
    }
  :: atomic {
      JOURNAL_LOST && !journalLost && !isRunning[0] && !isRunning[1] && row[0].state != NONE && (JOURNAL_LOST == 1 || !isInFlight) ->
      clearRow(row[0]); forgetRequests(); journalLost = 1; sentAge[0] = 0;
      if
      :: MEMORY_OUTLIVES_JOURNAL
      :: else -> clearMemory(memory[0])
      fi;
      printf("@journal is lost\n")
    }
  od
}

/* ---- One process: runs of `svc pay` for one key ---- */

#define hasOurQuote(t) ((mine.quotes & (1 << ledger[t].quote)) != 0)
#define belongsToOther(t) (TWO_KEYS && row[1 - r].made == t + 1)
#define isOurs(t) (isMade(t) && (FIRST_MATCH_TAKEN || (CORRELATION_DROPPED \
  -> (hasOurQuote(t) && (OWNER_BY_QUOTE || !belongsToOther(t))) \
  : (ledger[t].key == k + 1 || (OWNER_BY_QUOTE && hasOurQuote(t))))))

inline seePage(where) {
  d_step {
    if
    :: ledger[0].page == where && isOurs(0) -> seen = seen | 1
    :: else
    fi;
    if
    :: ledger[1].page == where && isOurs(1) -> seen = seen | 2
    :: else
    fi
  }
}

/* A list that is remembered is read as far back as something new can be. */
#define hasSentBefore ((memory[journalOf(r)].sent & (1 << k)) && row[r].armed != 0 && !MEMORY_IGNORES_SENT)
#define isSpared (memory[journalOf(r)].old != 0 && !(memory[journalOf(r)].foreign & (1 << k)) && !hasSentBefore && \
  purpose != REPORT)
#define isNewOn(t, where) (ledger[t].page == where && !(memory[journalOf(r)].old & (1 << t)))
#define isFirstPageEnough (isSpared && !isNewOn(0, 2) && !isNewOn(1, 2))

#define hasOne     (seen == 1 || seen == 2)
#define hasSeveral (seen == 3)

#define holdsLease (row[r].holder == me + 1 || NO_LEASE_CHECK)
#define isLeaseFree (row[r].holder == 0 || row[r].holder == me + 1 || !isRunning[row[r].holder - 1] || LEASE_EXPIRES || NO_LEASE)
#define isEndedElsewhere (hasWaited && row[r].state == REJECTED && (mine.state != REJECTED || mine.quote != row[r].quote))
#define hasLifeLeft (QUOTE_LIFE == 0 || quoteAge[mine.quote] < QUOTE_LIFE)

/* A commit writes the whole row, if the lease is held. */
inline commitMine() {
  if
  :: holdsLease -> d_step { mine.holder = row[r].holder; copyRow(row[r], mine); printf("@%d commits %d\n", me, mine.state) }
  :: else -> goto leaseLost
  fi
}

inline checkLease() {
  if
  :: holdsLease
  :: else -> goto leaseLost
  fi
}

/* A process may be killed before each of its steps. */
inline mayCrash() {
  if
  usually
  :: CRASHES -> goto killed
  fi
}

inline findSlot() {
  if
  :: request[0].status == FREE -> slot = 0
  :: REQUESTS_MAX > 1 && request[0].status != FREE && request[1].status == FREE -> slot = 1
  :: REQUESTS_MAX > 2 && request[0].status != FREE && request[1].status != FREE && request[2].status == FREE -> slot = 2
  fi
}

#define listingTime (NO_LISTING_TIME -> 0 : LISTING_TIME)
/* What the old rule adds to the time of a read: that of the one clock, which may be ahead. */
#define datedAhead(is) (ABANDON_BY_DATE && is -> DATE_AHEAD : 0)
#define isSecondLookUnaged (SECOND_LOOK_UNAGED || AGE_FROM_END)
#define isSearchOld (searchAge[me] > SEARCH_AGE_MAX)

inline deny(s) {
  if
  :: request[s].status == IN_FLIGHT && request[s].origin == r + 1 -> request[s].isDenied = 1
  :: else
  fi
}

/* What a code says about the ledger. */
inline checkCode() {
  d_step {
    if
    :: CODES_EXCUSED
    :: !CODES_EXCUSED && code == 0 ->
      assert(mine.made != 0);
      assert(isMade(mine.made - 1));
      assert(CORRELATION_DROPPED || ledger[mine.made - 1].key == k + 1);
      assert(!belongsToOther(mine.made - 1));
      assert(row[r].state == CREATED || failedOver)
    /* Not reachable, or refused for certain: nothing that this journal knows of was made, or will be. A run whose lease was taken
       over speaks for itself alone. */
    :: !CODES_EXCUSED && row[r].holder == me + 1 && (code == 3 || code == 6) ->
      assert(ledger[0].origin != r + 1 || ledger[0].key != k + 1);
      assert(ledger[1].origin != r + 1 || ledger[1].key != k + 1);
      deny(0); deny(1); deny(2)
    :: else
    fi
  }
}

inline forgetRead() {
  seen = 0; isReadAgain = 0; purpose = 0; isComplete = 0; isDateAhead = 0; isPastExpiry = 0; isPastClear = 0
}

/* What the list is read for. */
#define SEARCH      0
#define SECOND_LOOK 1
#define SETTLEMENT  2
#define REPORT      3

/* What a list proves counts from the beginning of the first of two reads. */
inline startRead() {
  hasHeadMoved[me] = 0;
  if
  :: purpose == SETTLEMENT ->
    isPastExpiry = (QUOTE_LIFE && quoteAge[mine.quote] + datedAhead(isDateAhead) > QUOTE_LIFE + listingTime);
    isPastClear = (mine.clear && clearAge[r] + datedAhead(isDateAhead) > listingTime + datedAhead(mine.clearAhead))
  :: else
  fi;
  if
  :: purpose != REPORT && !(purpose == SECOND_LOOK && isSecondLookUnaged) -> searchAge[me] = 0
  :: else
  fi
}

/* A transaction that is found is found, and where keys are known to be honoured the first request makes nothing twice. */
#define isOneReadEnough \
  ((purpose == REPORT && (seen & mine.made)) || (areKeysKnown && purpose == SEARCH && mine.armed == 0))

/* Which send the reply is awaited for. */
#define FIRST_SEND  0
#define RESEND      1

#define say(number) code = number; goto ended


proctype Payer(byte me; byte r; byte k) {
  Row mine;
  byte runs, seen, excused, sentQuote, slot, outcome, tries, resends, code, purpose, sending;
  /* What a list that is read now can prove, as of its beginning. */
  bit isPastExpiry, isPastClear;
  bit isComplete, isReadAgain, isDateAhead, hasWaited;
#ifdef SIMULATION
  bit isHasty;
  byte looks;
#endif
idle:
  atomic {
    if
    :: RUNS == 0 && !waitsForList -> isRunning[me] = 1; printf("@%d starts\n", me)
    :: runs < RUNS && !waitsForList -> runs++; isRunning[me] = 1; printf("@%d starts\n", me)
    :: RUNS != 0 && runs >= RUNS -> goto endOfRuns
    fi
  };

start:
  skip;
  /* Record the key and the content. */
  atomic {
    mayCrash();
    if
    :: row[r].state == NONE -> row[r].state = INTENDED
    :: else
    fi;
    d_step { copyRow(mine, row[r]); hasWaited = 0; printf("@%d finds %d\n", me, mine.state) };
    if
    :: mine.state == CREATED -> purpose = REPORT; goto read
    :: else
    fi
  };

lease:
  skip;
  /* One process works on a payment, and others wait for it. */
  atomic {
    mayCrash();
    if
    :: isLeaseFree ->
      if
      :: isEndedElsewhere -> printf("@%d leases %d\n", me, row[r].state); say(3)
      :: else
      fi;
      d_step {
        row[r].holder = me + 1; copyRow(mine, row[r]); hasWaited = 0;
        printf("@%d leases %d\n", me, mine.state)
      };
      if
      /* The journal does not know of a request that this process has sent: it went back. What was sent is entered again. */
      :: sentQuote != 0 && (mine.armed & (1 << sentQuote)) == 0 && !ROLLBACK_UNNOTICED -> goto forgotten
      :: else
      fi;
      if
      :: mine.state == CREATED -> purpose = REPORT; goto read
      :: mine.state == UNKNOWN -> goto settle
      :: mine.state == ARMED && !ARMED_IS_UNSENT -> goto markUnknown
      :: NO_SEARCH && mine.state != CREATED && mine.state != UNKNOWN && (mine.state != ARMED || ARMED_IS_UNSENT) ->
        searchAge[me] = 0; goto attempt
      /* Another host may have paid, or this journal may be new. */
      :: else -> purpose = SEARCH; goto read
      fi
    :: !isLeaseFree && !hasWaited -> hasWaited = 1; printf("@%d waits\n", me); goto lease
    :: !isLeaseFree && hasWaited -> say(8)
    fi
  };

forgotten:
  skip;
  atomic {
    mayCrash();
    mine.state = UNKNOWN; mine.quote = sentQuote; mine.quotes = mine.quotes | (1 << sentQuote);
    mine.armed = mine.armed | (1 << sentQuote); mine.sends = 1; mine.refused = 0; mine.clear = 0; mine.clearAhead = 0;
    commitMine();
    say(7)
  };

markUnknown:
  skip;
  atomic { mayCrash(); mine.state = UNKNOWN; commitMine(); goto settle };

  /* The list is read page by page, twice, and it may change in between. Matches count in any case. Whether their absence does is in
     `isComplete`. */
read:
  skip;
  atomic {
    mayCrash();
readNow:
    if
    :: DATE_AHEAD -> isDateAhead = 1
    :: true
    fi;
    d_step { seen = 0; isComplete = 1; startRead() };
    seePage(1);
    printf("@%d reads page 1 %d\n", me, seen);
    if
    /* What was made before the bound stands on another page by then. */
    :: isFirstPageEnough -> seen = seen & ~memory[journalOf(r)].old; goto readEnds
    :: else
    fi
  };
secondPage:
  skip;
  atomic {
    mayCrash();
    if
    :: purpose == SECOND_LOOK && SEEN_STOPS && ORDER_BY_UPDATE
    :: else ->
      if
#ifdef SIMULATION
      /* A match on the first page is followed by a second page in traces, since errors of a list differ in what they do to it. */
      :: LIST_FAILS && !seen -> isComplete = 0; printf("@%d list fails\n", me)
#else
      :: LIST_FAILS -> isComplete = CUT_LIST_COUNTS
#endif
      :: seePage(2); printf("@%d reads page 2 %d\n", me, seen)
      fi
    fi
  };
  atomic {
    mayCrash();
    if
    :: LIST_READ_ONCE || !isComplete || isOneReadEnough
    :: else ->
      seePage(1);
      printf("@%d reads page 1 again %d\n", me, seen);
      if
      /* What has moved may have been missed: this is the first of two other reads, or the list proves nothing. */
      :: hasHeadMoved[me] && !HEAD_UNTIL_STABLE -> d_step { startRead() }; goto secondPage
#ifndef SIMULATION
      :: hasHeadMoved[me] && !HEAD_UNTIL_STABLE -> isComplete = 0
#endif
      :: else -> isReadAgain = 1
      fi
    fi
  };
  atomic {
    mayCrash();
    if
    :: isReadAgain ->
      if
#ifdef SIMULATION
      :: LIST_FAILS && !seen -> isComplete = 0; printf("@%d list fails\n", me)
#else
      :: LIST_FAILS -> isComplete = CUT_LIST_COUNTS
#endif
      :: seePage(2); printf("@%d reads page 2 again %d\n", me, seen)
      fi
    :: else
    fi;
readEnds:
    isReadAgain = 0;
    hasHeadMoved[me] = 0;
    if
    :: hasSeveral -> say(7)
    :: purpose == REPORT && !hasSeveral -> say(0)
    :: purpose != REPORT && hasOne -> outcome = MADE + seen - 1; goto created
    :: purpose == SETTLEMENT && !seen -> goto decide
    :: !seen && !isComplete && (purpose == SEARCH || purpose == SECOND_LOOK) -> say(6)
    :: purpose == SEARCH && !seen && isComplete ->
      if
      :: AGE_FROM_END -> searchAge[me] = 0
      :: else
      fi;
      goto attempt
    :: purpose == SECOND_LOOK && !seen && isComplete -> goto arm
    fi
  };

attempt:
  skip;
  atomic {
    mayCrash();
    isComplete = 0; purpose = 0; resends = 0;
#ifdef SIMULATION
    looks = 0;
#endif
    if
    :: printf("@%d gets no quote\n", me); say(6)
    :: quotesGiven < QUOTES_MAX -> quotesGiven++; quoteAge[quotesGiven] = 0; mine.quote = quotesGiven
#ifdef SIMULATION
    :: quotesGiven < QUOTES_MAX -> quotesGiven++; quoteAge[quotesGiven] = 0; mine.quote = quotesGiven
    :: quotesGiven < QUOTES_MAX -> quotesGiven++; quoteAge[quotesGiven] = 0; mine.quote = quotesGiven
    :: quotesGiven < QUOTES_MAX -> quotesGiven++; quoteAge[quotesGiven] = 0; mine.quote = quotesGiven
#endif
    :: QUOTE_CACHE && quotesGiven > 0 && (QUOTE_LIFE == 0 || quoteAge[quotesGiven] < QUOTE_LIFE) -> mine.quote = quotesGiven
    fi;
    printf("@%d is quoted %d\n", me, mine.quote)
  };
  atomic {
    mayCrash();
    mine.state = QUOTED; mine.quotes = mine.quotes | (1 << mine.quote);
    mine.sends = 0; mine.refused = 0; mine.clear = 0; mine.clearAhead = 0;
    commitMine()
  };

  /* Nobody, a person or an agent is asked in between, for as long as it takes. */
arm:
  skip;
  atomic {
    mayCrash();
    if
    :: QUOTES_AGAIN && !hasLifeLeft ->
      isComplete = 0; purpose = 0; tries++;
      if
      :: tries < 3 -> goto attempt
      :: else -> say(6)
      fi
#ifdef SIMULATION
    :: !QUOTES_AGAIN || hasLifeLeft
#else
    :: true
#endif
    fi;
    /* Where keys are not known to be honoured, only the list shows what another host has paid since. */
    if
    :: !areKeysKnown && isSearchOld && !NO_SECOND_LOOK && !(purpose == SECOND_LOOK && isSecondLookUnaged) ->
      /* A list that takes too long to read is given up after some looks. */
      if
#ifdef SIMULATION
      /* At once: the life of the quote is judged at the time of the read in the code. */
      :: looks < 5 -> looks++; purpose = SECOND_LOOK; goto readNow
      :: looks == 5 -> say(6)
#else
      :: purpose = SECOND_LOOK; goto read
      :: purpose == SECOND_LOOK -> say(6)
#endif
      fi
    :: else
    fi;
    /* The exact bytes are in the journal before the first one leaves. A process that is suspended between this check and the commit is
       not part of the model. */
    isComplete = 0; purpose = 0;
    if
    :: RACE_EXCUSED -> excused = (listedAge[0] <= SEARCH_AGE_MAX -> 1 : 0) + (listedAge[1] <= SEARCH_AGE_MAX -> 2 : 0)
    :: else
    fi;
    if
    :: ARM_AFTER_SEND
    :: else -> mine.state = ARMED; mine.sends = 1; mine.armed = mine.armed | (1 << mine.quote); commitMine()
    fi
  };
  /* Checked again just before the first byte leaves. The process may be suspended after that. */
  atomic {
    mayCrash();
    checkLease();
    if
    :: hasLifeLeft || NO_LIFE_CHECK -> printf("@%d may send\n", me)
    :: (!hasLifeLeft && !NO_LIFE_CHECK) || DATE_AHEAD -> goto tooLate
    fi
  };
  atomic {
    mayCrash();
    if
    :: sending = FIRST_SEND; goto transmit
#ifdef SIMULATION
    :: sending = FIRST_SEND; goto transmit
    :: sending = FIRST_SEND; goto transmit
    :: sending = FIRST_SEND; goto transmit
#endif
    :: printf("@%d cannot connect\n", me); goto unsent
    fi
  };

tooLate:
  atomic {
    mine.state = ABANDONED; mine.sends = 0; commitMine(); tries++;
    if
    :: tries < 3 -> goto attempt
    :: else -> say(6)
    fi
  };
unsent:
  atomic { mine.state = ABANDONED; mine.sends = 0; commitMine(); say(6) };

  /* The bytes leave. From here on the service may carry them out, whether or not its reply is read. */
transmit:
  skip;
  atomic {
    mayCrash();
    findSlot();
    d_step {
      request[slot].status = IN_FLIGHT; request[slot].isAwaited = 1; request[slot].key = k;
      request[slot].origin = ((row[r].armed & (1 << mine.quote)) != 0 -> r + 1 : 0);
      request[slot].quote = mine.quote; request[slot].excused = excused; sentQuote = mine.quote;
      printf("@%d sends %d\n", me, slot)
    }
  };
#ifdef SIMULATION
  /* Most replies are waited for. */
  if
  :: request[slot].status == ANSWERED
  :: isHasty = 0; request[slot].status == ANSWERED
  :: isHasty = 0; request[slot].status == ANSWERED
  :: isHasty = 0; request[slot].status == ANSWERED
  :: isHasty = 1
  :: isHasty = 1
  fi;
#endif
  atomic {
    if
    usually
    /* A process that is killed reads no reply. */
    :: CRASHES ->
      if
      :: request[slot].status == IN_FLIGHT -> request[slot].isAwaited = 0
      :: else -> freeRequest(slot)
      fi;
      goto killed
    fi;
    if
    :: request[slot].status == ANSWERED -> outcome = request[slot].reply; freeRequest(slot); printf("@%d hears %d\n", me, outcome)
#ifdef SIMULATION
    :: isHasty -> outcome = NO_REPLY; isHasty = 0;
#else
    :: outcome = NO_REPLY;
#endif
      if
      :: request[slot].status == IN_FLIGHT -> request[slot].isAwaited = 0
      :: else -> freeRequest(slot)
      fi;
      printf("@%d hears nothing\n", me)
    fi;
    slot = 0;
    if
    /* A transaction that is not ours says nothing. */
    :: outcome >= MADE ->
      if
      :: isOurs(outcome - MADE)
      :: else -> outcome = REUSED
      fi
    :: else
    fi
  };
  atomic {
    mayCrash();
    if
    :: ARM_AFTER_SEND -> mine.sends = 1; mine.armed = mine.armed | (1 << mine.quote)
    :: else
    fi;
    if
    :: outcome >= MADE -> goto created
    :: outcome == REFUSED && sending == RESEND && RESEND_REFUSAL_FINAL -> outcome = 0; mine.state = REJECTED; commitMine(); say(3)
    :: outcome == NO_REPLY && TIMEOUT_IS_UNSENT -> goto unsent
    :: outcome == REFUSED && sending == FIRST_SEND -> mine.refused = 1
    :: else
    fi;
    outcome = 0; mine.state = UNKNOWN;
    commitMine();
    if
    :: sending == RESEND -> sending = 0; goto wait
    :: else -> sending = 0
    fi
  };

settle:
  skip;
  atomic { mayCrash(); checkLease(); purpose = SETTLEMENT; goto read };

decide:
  skip;
  atomic {
    mayCrash();
    if
    :: !isComplete -> goto wait
    :: else
    fi;
    if
    :: mine.refused && mine.sends == 1 ->
      mine.refused = 0; mine.state = REJECTED; commitMine();
      if
      /* The run that was refused ends here. A later one goes on. */
      :: sentQuote == mine.quote -> say(3)
      :: else -> forgetRead(); goto attempt
      fi
    :: else
    fi;
    /* Two complete lists without it prove that nothing was made. */
    if
    :: (mayResend || RESEND_ALWAYS) && hasLifeLeft && resends < resendsMax ->
      resends++; mine.sends = 2; forgetRead(); commitMine(); goto resend
    :: else ->
      if
      :: !mine.clear && isPastExpiry && !ONE_LIST_ABANDONS ->
        mine.clear = 1; mine.clearAhead = isDateAhead; commitMine(); clearAge[r] = 0; goto wait
      :: isPastClear || (isPastExpiry && ONE_LIST_ABANDONS) -> goto abandon
      :: else -> goto wait
      fi
    fi
  };
abandon:
  atomic {
    mine.state = ABANDONED; mine.clear = 0; mine.clearAhead = 0; commitMine();
    forgetRead();
    if
    :: sentQuote == mine.quote -> tries++
    :: else -> tries = 0
    fi;
    if
    :: tries < 3 -> goto attempt
    :: else -> say(6)
    fi
  };
wait:
  skip;
  atomic {
    mayCrash();
    forgetRead();
    if
    :: printf("@%d waits on\n", me); goto settle
#ifdef SIMULATION
    :: printf("@%d waits on\n", me); goto settle
    :: printf("@%d waits on\n", me); goto settle
#endif
    :: say((UNKNOWN_IS_NOT_MADE -> 6 : 7))
    fi
  };
resend:
  skip;
  atomic {
    mayCrash();
    checkLease();
    if
    :: hasLifeLeft -> printf("@%d may send\n", me); sending = RESEND; goto transmit
    :: else -> goto wait
    fi
  };

leaseLost:
  atomic {
    printf("@%d lost its lease\n", me);
    forgetRead(); searchAge[me] = 0; outcome = 0; tries = 0; sending = 0;
    goto start
  };

created:
  skip;
  atomic {
    mayCrash();
    mine.made = outcome - MADE + 1; outcome = 0;
    if
    :: REPORT_BEFORE_COMMIT -> code = 0; checkCode()
    :: else
    fi;
    if
    /* The commit checks that no other key has this transaction. */
    :: belongsToOther(mine.made - 1) && !OWNER_BY_QUOTE && !FIRST_MATCH_TAKEN -> mine.made = 0; say(7)
    :: else
    fi;
    mine.state = CREATED;
    commitMine();
    row[r].holder = 0;
    say(0)
  };

ended:
  atomic {
    printf("@%d ends %d\n", me, code);
    checkCode();
    if
    :: row[r].holder == me + 1 -> row[r].holder = 0
    :: else
    fi;
    goto over
  };
killed:
  /* On the same machine others see at once that the holder has ended. On another one its lease ends by time. */
  atomic {
    printf("@%d is killed\n", me);
    if
    :: row[r].holder == me + 1 -> row[r].holder = 0
    :: else
    fi
  };
over:
  atomic {
    skip;
    d_step {
    isRunning[me] = 0; hasHeadMoved[me] = 0;
    clearRow(mine);
    forgetRead();
    searchAge[me] = 0; excused = 0; sentQuote = 0; slot = 0; outcome = 0; tries = 0; resends = 0; code = 0; sending = 0; hasWaited = 0
    }
  };
  goto idle;
endOfRuns:
  skip
}

#ifndef SIMULATION
c_decl {
  /* SVC_MODEL=4=2,5=1 gives setting 4 the value 2 and setting 5 the value 1. */
  static void readSettings(void) {
    char *next = getenv("SVC_MODEL");
    while (next && *next) {
      int number = (int)strtol(next, &next, 10);
      if (*next++ != '=' || number < 0 || number >= settingsMax) exit(2);
      given[number] = (int)strtol(next, &next, 10);
      if (*next == ',') next++;
    }
  }
}
#endif

init {
#ifndef SIMULATION
  c_code { readSettings(); };
#endif
  atomic {
    if
    :: (KEYS & 1) -> keys = HONOURED
    :: (KEYS & 2) -> keys = PER_BODY
    :: (KEYS & 4) -> keys = IGNORED
    fi;
    if
    :: (QUOTES & 1) -> quotesMakeOne = 1
    :: (QUOTES & 2) -> quotesMakeOne = 0
    fi;
    if
    :: (KNOWN & 1)
    :: (KNOWN & 2) -> areKeysKnown = (keys == HONOURED); mayResend = (keys != IGNORED || quotesMakeOne)
    :: (KNOWN & 4) -> areKeysKnown = 1; mayResend = 1
    fi;
    printf("@service has %d %d %d %d\n", keys, quotesMakeOne, areKeysKnown, mayResend);
    run Service();
    run Surroundings();
    if
    :: MEMORY == 4 -> run OtherReader()
    :: else
    fi;
    run Payer(0, 0, 0);
    if
    :: TWO_PROCESSES -> run Payer(1, 0, 0)
    :: TWO_HOSTS -> run Payer(1, 1, 0)
    :: TWO_KEYS -> run Payer(1, 1, 1)
    :: else
    fi
  }
}
