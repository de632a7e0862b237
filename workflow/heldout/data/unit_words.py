"""The words for things that several rows may be about, in several languages.

In lower case, without accents. Standard library only.
"""

UNITS = frozenset(
    # people
    "patient participant subject person individual respondent volunteer proband donor recipient customer client "
    "consumer user student pupil teacher employee worker doctor physician surgeon player driver rider athlete author "
    "speaker reader rater reviewer borrower cardholder tenant mother father child infant twin sibling couple dyad "
    "interviewer "
    # animals and plants
    "animal mouse rat rabbit cow calf sow pig dog horse bird chick herd flock litter cage tree plant "
    # places and organisations
    "hospital clinic center centre site practice household family school classroom store shop branch company "
    "firm vendor supplier merchant team club farm village plot parcel orchard "
    # things and their parts
    "device machine sensor plate slide specimen scanner microscope "
    # German
    "patientin patienten probandin probanden teilnehmer teilnehmerin kunde kunden kundin klient nutzer benutzer "
    "klinik krankenhaus praxis arzt schule schueler schuler tier versuchstier versuchsperson vp haushalt familie "
    "personen betrieb firma filiale laden standort zentrum maschine geraet gerat fahrer spieler kaefig kafig wurf dorf hof "
    "mitarbeiter parzelle spender "
    # French
    "sujet patiente cliente hopital clinique ecole eleve menage foyer famille souris magasin joueur conducteur "
    "ferme donneur employe entreprise parcelle utilisateur personne individu etudiant appareil "
    # Spanish and Portuguese
    "paciente sujeto sujeito participante clinica centro escuela escola alumno aluno estudiante estudante hogar "
    "familia tienda loja maquina jugador jogador conductor granja fazenda pueblo aldeia donante doador empleado empresa "
    "parcela usuario utilizador persona pessoa individuo raton jaula camada "
    # Italian
    "paziente soggetto partecipante ospedale scuola studente alunno famiglia negozio macchina giocatore azienda "
    "utente topo gabbia donatore fattoria villaggio "
    # Dutch
    "klant proefpersoon deelnemer ziekenhuis kliniek centrum leerling huishouden gezin winkel apparaat "
    "speler bestuurder boerderij dorp muis kooi perceel gebruiker persoon "
    # Danish, Norwegian, Swedish, Polish
    "pasient kund sjukhus sykehus sygehus deltagare deltaker deltager skola skole elev anvandare bruger bruker "
    "pacjent klient szpital uczestnik szkola uczen "
    # Russian, Chinese, Japanese, Korean
    "пациент клиент больница участник испытуемыи испытуемый субъект "
    "患者 病人 病患 受试者 被试 客户 顾客 医院 学生 学校 用户 被験者 顧客 病院 参加者 利用者 환자 고객 병원 참가자 피험자 학생 학교".split()
)
"""A column named so says whom or what a row is about."""

LOOSE = frozenset(
    "group groupe gruppe grupo gruppo groep batch charge block cluster pair session stratum study".split()
)
"""Words that may be about a treatment or a kind as well: they count only alone, or beside a word for a number."""

VAGUE = frozenset(
    "class klasse classe lot run sample set experiment owner member candidate ward pen tank nest colony engine vehicle "
    "flight building house property".split()
)
"""Words that are mostly about something else where they have few values."""

SHORT = frozenset("pat pt subj sub cust usr stud emp part resp pers hosp cli vp hh ind".split())
"""Abbreviations: they count only beside a word for a number (`pat_no`), some of them alone."""

SHORT_ALONE = frozenset("subj pat vp usubjid subjid mrn".split())

IDS = frozenset(
    "id ids uuid guid identifier pid uid ident kennung identifiant identificador".split()
)
"""Words that say that a column is an identifier, of whatever."""

NUMBERS = frozenset(
    "no nr num number code key ref name label index idx nummer numer kode code cod codigo codice numero num "
    "kuerzel kurzel schluessel schlussel nome nom nombre naam hash 编号 番号 号 번호 名".split()
)
"""Words beside a word for a unit that say which one it is."""

PLAIN = frozenset(
    "study trial test anon anonymous anonymized anonymised masked hashed encoded original unique global internal "
    "research the of de du del della des der la le l el do da di van het e".split()
)
"""Words that do not change what a name is about."""

KINDS = frozenset(
    "type category kind status level color colour size grade gender sex race language currency reason payment region "
    "country state county zone area time date year month week day hour product item".split()
)
"""Beside `id`: codes of kinds, places and times, whose values come again in new rows."""
