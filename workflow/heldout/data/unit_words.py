"""The words for things that several rows may be about, in several languages.

In lower case, without accents. Standard library only.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNITS = _words(
    # people
    "patient participant subject person individual respondent volunteer proband donor recipient customer client "
    "consumer user student pupil teacher employee worker doctor physician surgeon player driver rider athlete author "
    "speaker reader rater reviewer borrower cardholder tenant mother father child infant twin sibling couple dyad "
    "interviewer "
    # animals and plants
    "animal mouse rat rabbit cow calf sow pig dog horse bird chick herd flock litter cage tree plant "
    # places and organisations
    "hospital clinic center centre site practice household family school classroom store shop branch team "
    "club farm village plot parcel orchard "
    # things and their parts
    "device machine sensor plate slide specimen scanner microscope "
    # German
    "patientin patienten probandin probanden teilnehmer teilnehmerin kunde kunden kundin klient nutzer benutzer "
    "klinik krankenhaus praxis arzt schule schueler schuler tier versuchstier versuchsperson vp haushalt familie "
    "personen filiale laden standort zentrum maschine geraet gerat fahrer spieler kaefig kafig wurf dorf hof "
    "mitarbeiter parzelle spender "
    # French
    "sujet patiente cliente hopital clinique ecole eleve menage foyer famille souris magasin joueur conducteur "
    "ferme donneur employe parcelle utilisateur personne individu etudiant appareil "
    # Spanish and Portuguese
    "paciente sujeto sujeito participante clinica centro escuela escola alumno aluno estudiante estudante hogar "
    "familia tienda loja maquina jugador jogador conductor granja fazenda pueblo aldeia donante doador empleado "
    "parcela usuario utilizador persona pessoa individuo raton jaula camada "
    # Italian
    "paziente soggetto partecipante ospedale scuola studente alunno famiglia negozio macchina giocatore "
    "utente topo gabbia donatore fattoria villaggio "
    # Dutch
    "klant proefpersoon deelnemer ziekenhuis kliniek centrum leerling huishouden gezin winkel apparaat "
    "speler bestuurder boerderij dorp muis kooi perceel gebruiker persoon "
    # Danish, Norwegian, Swedish, Finnish
    "pasient kund sjukhus sykehus sygehus deltagare deltaker deltager skola skole elev anvandare bruger bruker "
    "potilas asiakas osallistuja sairaala oppilas "
    # Polish, Czech, Turkish
    "pacjent pacjenta klient klienta szpital uczestnik szkola uczen pacient pacienta zakaznik nemocnice musteri hastane "
    # Russian, Chinese, Japanese, Korean
    "пациент пациента клиент клиента больница участник испытуемыи испытуемый субъект "
    "患者 病人 病患 受试者 被试 客户 顾客 医院 学生 学校 用户 被験者 顧客 病院 参加者 利用者 환자 고객 병원 참가자 피험자 학생 학교"
)
"""A column named so says whom or what a row is about."""

LOOSE = _words(
    "group groupe gruppe grupo gruppo groep batch charge block cluster pair session stratum study"
)
"""Words that may be about a treatment or a kind as well: they count only alone, or beside a word for a number."""

VAGUE = _words(
    "class klasse classe lot run sample set experiment owner member candidate ward pen tank nest colony engine vehicle "
    "flight building house property company firm vendor supplier merchant betrieb firma entreprise empresa azienda "
    "case account policy contract unit wafer"
)
"""Words that are mostly about something else where they have few values."""

SHORT = _words(
    "pat pt subj sub cust usr stud emp part resp pers hosp cli vp hh ind fam kd acct fall maus serial dossier hasta "
    "personal versuchs aufnahme betriebs"
)
"""Abbreviations: they count only beside a word for a number (`pat_no`), some of them alone."""

SHORT_ALONE = _words("subj pat vp vpn usubjid subjid mrn nhc expediente prontuario")

IDS = _words("id ids uuid guid identifier pid sid uid ident kennung identifiant identificador ид")
"""Words that say that a column is an identifier, of whatever."""

NUMBERS = _words(
    "no nr nro num number code key ref name label index idx nummer numer kode code cod codigo codice numero num "
    "kuerzel kurzel schluessel schlussel nome nom nombre naam hash номер 编号 番号 号 번호 名"
)
"""Words beside a word for a unit that say which one it is."""

PLAIN = _words(
    "study trial test anon anonymous anonymized anonymised masked hashed encoded original unique global internal "
    "research the of de du del della des der la le l el do da di van het e"
)
"""Words that do not change what a name is about."""

KINDS = _words(
    "type category kind status level color colour size grade gender sex race language currency reason payment region "
    "country state county zone area time date year month week day hour product item"
)
"""Beside `id`: codes of kinds, places and times, whose values come again in new rows."""
